import type { SimControl } from '@sluice/cloud-sim'
import type { Deployment } from '@sluice/contract'
import { expect, test } from 'vitest'
import { ecsDataOf } from '../src/testing/world.ts'
import { Moments, NeverHeard } from './moments.ts'
import { startWatched } from './watched-world.ts'

const running = (command: string) => ({ container_overrides: [{ name: 'app', command: [command] }] })
const deploy = {
  pre_deploy: running('migrate'),
  post_deploy: { ...running('exit 1'), failure_action: 'ROLLBACK' },
}

const everyCall = 1_000_000

/** Each command ran once; the service was brought to the new version once, and once back. */
async function expectOnce(cloud: SimControl, deployments: Deployment[]): Promise<void> {
  const accepted = async (operation: string, key: string) =>
    (await cloud.calls({ operation, accepted: true, limit: everyCall })).map(
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

test('commands run once and a release is undone once, whichever call is the last that the cloud did before a kill', async () => {
  const moments = new Moments()
  const { service, cloud, user, instances } = await startWatched(moments, { deploy })
  await moments.killAtEach(service, {
    async release(moment) {
      const { id } = await user.deploy(instances.rolling, `shop/app:${moment}`)
      expect(await user.follow(id), `killed at moment ${moment}`).toMatchObject({
        status: 'ROLLED_BACK',
        error: { code: 'Sluice:Deployments:POST_DEPLOY_FAILED' },
      })
    },
  })
  expect(service.kills).toBeGreaterThan(10)
  await expectOnce(cloud, await user.list())
})

test('a command that the cloud never heard of for a kill is run once', async () => {
  const unheard = new NeverHeard()
  const { service, cloud, user, instances } = await startWatched(unheard, { deploy })
  await unheard.killInsteadOfEach(service, [/^RunTask$/], async () => {
    const { id } = await user.deploy(instances.rolling, 'shop/app:2')
    expect(await user.follow(id)).toMatchObject({ status: 'ROLLED_BACK' })
  })
  await expectOnce(cloud, await user.list())
})
