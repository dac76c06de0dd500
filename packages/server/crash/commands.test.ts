import type { SimControl } from '@sluice/cloud-sim'
import type { Deployment } from '@sluice/contract'
import { expect, test } from 'vitest'
import { ecsDataOf } from '../src/testing/world.ts'
import { KillAfterCallWatcher, KillBeforeCallWatcher } from './moments.ts'
import { releasesPerKill } from './parties.ts'
import { startWatched } from './watched-world.ts'

const running = (command: string) => ({ container_overrides: [{ name: 'app', command: [command] }] })
const deploy = {
  pre_deploy: running('migrate'),
  post_deploy: { ...running('exit 1'), failure_action: 'ROLLBACK' },
}

const everyCall = 1_000_000

/** Expects that each command ran once in the account, and that the service changed to the new version and back once. */
async function expectOnce(cloud: SimControl, account: string, deployments: Deployment[]): Promise<void> {
  const accepted = async (operation: string, key: string) =>
    (await cloud.calls({ operation, account, accepted: true, limit: everyCall })).map(
      ({ request }) => (request as Record<string, string>)[key],
    )
  const oldestFirst = deployments.toReversed()
  expect(await accepted('RunTask', 'clientToken')).toEqual(
    oldestFirst.flatMap(({ id }) => [`${id}/pre-deploy`, `${id}/post-deploy`]),
  )
  expect(await accepted('UpdateService', 'taskDefinition')).toEqual(
    oldestFirst.flatMap((one) => {
      const { deployedTaskDefinition, previousTaskDefinition } = ecsDataOf(one)
      return [deployedTaskDefinition?.arn, previousTaskDefinition?.arn]
    }),
  )
}

test('commands run once and a release is rolled back once, whichever call of the cloud was the last before a kill', async () => {
  const moments = new KillAfterCallWatcher()
  const { service, cloud, parties } = await startWatched(moments, releasesPerKill, { deploy })
  const count = await moments.killAtEach(service, parties, {
    async release({ user, instances }, moment) {
      const { id } = await user.deploy(instances.rolling, `shop/app:${moment}`)
      expect(await user.follow(id), `killed at moment ${moment}`).toMatchObject({
        status: 'ROLLED_BACK',
        error: { code: 'Sluice:Deployments:POST_DEPLOY_FAILED' },
      })
    },
  })
  expect(count).toBeGreaterThan(10)
  for (const { accountNumber, user } of parties) await expectOnce(cloud, accountNumber, await user.list())
})

test('a command whose call a kill prevented runs once', async () => {
  const unheard = new KillBeforeCallWatcher()
  const { service, cloud, parties } = await startWatched(unheard, 1, { deploy })
  await unheard.killInsteadOfEach(service, parties, [/^RunTask$/], async ({ user, instances }) => {
    const { id } = await user.deploy(instances.rolling, 'shop/app:2')
    expect(await user.follow(id)).toMatchObject({ status: 'ROLLED_BACK' })
  })
  const [{ accountNumber, user }] = parties
  await expectOnce(cloud, accountNumber, await user.list())
})
