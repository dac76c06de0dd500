import type { SimControl } from '@sluice/cloud-sim'
import type { Deployment } from '@sluice/contract'
import { expect, test } from 'vitest'
import { ecsDataOf, pausesOf } from '../src/testing/world.ts'
import { KillAfterCallWatcher } from './moments.ts'
import { releasesPerKill } from './parties.ts'
import { startWatched } from './watched-world.ts'

const everyCall = 1_000_000

const updates = async (cloud: SimControl, account: string): Promise<unknown[]> =>
  (await cloud.calls({ operation: 'UpdateService', account, accepted: true, limit: everyCall })).map(
    ({ request }) => (request as { taskDefinition: string }).taskDefinition,
  )

const releaseOf = (deployment: Deployment) => ecsDataOf(deployment).deployedTaskDefinition?.arn

test('a release in progress is rolled back without a second release, whichever call was the last before a kill', async () => {
  const moments = new KillAfterCallWatcher()
  const { service, cloud, parties } = await startWatched(moments, releasesPerKill)
  const begun = parties.map(async ({ user, instances, ...party }) => {
    const good = await user.follow((await user.deploy(instances.canary, 'shop/app:good')).id)
    expect(good.status).toBe('SUCCESS')
    return { ...party, user, instances, good, last: good, expected: [releaseOf(good)] }
  })
  const count = await moments.killAtEach(service, await Promise.all(begun), {
    async prepare({ user, instances }, moment) {
      const bad = await user.deploy(instances.canary, `shop/app:bad${moment}`)
      await user.until(bad.id, 'a pause', (one) => pausesOf(one).length > 0)
      return bad
    },
    async release(party, moment, bad) {
      const { user, good, last, expected } = party
      const rollback = await user.follow((await user.rollback(bad)).id)
      expect(rollback, `killed at moment ${moment}`).toMatchObject({
        status: 'SUCCESS',
        rollbackToDeploymentId: last.id,
        externalDeploymentId: good.externalDeploymentId,
      })
      const turned = await user.get(bad.id)
      expect(turned).toMatchObject({
        status: 'ROLLED_BACK',
        error: { code: 'Sluice:Deployments:ROLLED_BACK_ON_REQUEST' },
      })
      expected.push(releaseOf(turned))
      expect(await updates(cloud, party.accountNumber)).toEqual(expected)
      party.last = rollback // the rollback is a success itself, so the next one returns to it
    },
  })
  expect(count).toBeGreaterThan(2)
})

test('a rollback of a finished deployment releases once, whichever call was the last before a kill', async () => {
  const moments = new KillAfterCallWatcher()
  const { service, cloud, parties } = await startWatched(moments, releasesPerKill)
  const begun = parties.map(async ({ user, instances, ...party }) => {
    await user.follow((await user.deploy(instances.rolling, 'shop/app:1')).id)
    const second = await user.follow((await user.deploy(instances.rolling, 'shop/app:2')).id)
    await user.follow((await user.rollback(second)).id) // makes each redeployment change the service
    return { ...party, user, second, updates: 3 }
  })
  const count = await moments.killAtEach(service, await Promise.all(begun), {
    prepare: async ({ user, second }) => user.follow((await user.redeploy(second)).id),
    async release(party, moment, again) {
      const { user, accountNumber } = party
      const back = await user.follow((await user.rollback(again)).id)
      expect(back, `killed at moment ${moment}`).toMatchObject({ status: 'SUCCESS', triggerSource: 'ROLLBACK' })
      party.updates += 2 // by the redeployment and by the rollback
      expect(await updates(cloud, accountNumber)).toHaveLength(party.updates)
    },
  })
  expect(count).toBeGreaterThan(3)
})
