import type { SimControl } from '@sluice/cloud-sim'
import type { Deployment } from '@sluice/contract'
import { expect, test } from 'vitest'
import { eventually } from '../src/testing/eventually.ts'
import { createTestSite, staticDataOf } from '../src/testing/static-site.ts'
import type { World } from '../src/testing/world.ts'
import { startCrashWorld } from './crash-world.ts'
import { openGateway, type Watcher } from './gateway.ts'
import { Moments, NeverHeard } from './moments.ts'
import { Random } from './random.ts'
import { quickMs, User } from './user.ts'

const releases = Array.from({ length: 40 }, (_, index) => `r/${index}`)

async function startWatchedSite(watcher: Watcher) {
  const { service, cloud, people } = await startCrashWorld({
    speed: 1_200,
    people: settle,
    gateway: (cloudUrl) => openGateway(cloudUrl, watcher),
  })
  const user = new User(people.client, new Random(1), quickMs)
  const release = (directory: string) => user.deploy(people.moduleInstanceId, directory, { directory })
  return { service, cloud, user, release }
}

/** A site whose releases are there, each of which takes the directory of the one before it away. */
async function settle(world: World) {
  const organization = await world.organization({ delivery: false })
  const { moduleInstanceId } = await createTestSite(world, organization, { releases, keep: 1, paths: ['/*'] })
  return { client: organization.client, moduleInstanceId }
}

const everyCall = 1_000_000

/** Each release was served once, emptied the caches once, and only then took the one before it away. */
async function expectEachEffectOnce(cloud: SimControl, deployments: Deployment[]): Promise<void> {
  const oldestFirst = deployments.toReversed().map(staticDataOf)
  const accepted = (operation: string) => cloud.calls({ operation, accepted: true, limit: everyCall })
  const served = (await accepted('PutKey')).map(({ request }) => (request as { Value: string }).Value)
  expect(served, 'directories that were served').toEqual(oldestFirst.map(({ prefix }) => prefix))
  for (const [index, { invalidations, removedPrefixes, events }] of oldestFirst.entries()) {
    const before = oldestFirst[index - 1]?.prefix
    expect(invalidations).toMatchObject([{ status: 'Completed' }])
    expect(removedPrefixes ?? []).toMatchObject(before ? [{ prefix: before, completedAt: expect.any(String) }] : [])
    expect(events?.map(({ stepCode }) => stepCode)).toEqual(['INIT', 'PROMOTE', 'INVALIDATE', 'CLEAN_UP', 'COMPLETED'])
  }
}

test('a site is released with each effect once, whichever call is the last that the cloud did before a kill', async () => {
  const moments = new Moments()
  const { service, cloud, user, release } = await startWatchedSite(moments)
  await moments.killAtEach(service, {
    async release(moment) {
      const { id } = await release(`r/${moment}`)
      expect(await user.follow(id), `killed at moment ${moment}`).toMatchObject({ status: 'SUCCESS' })
    },
  })
  expect(service.kills).toBeGreaterThan(6)
  await expectEachEffectOnce(cloud, await user.list())
  expect(service.ownEnds).toEqual([])
})

const isPromotion = (operation: string) => /^PUT .*\/keys\/active$/.test(operation)
const isLook = (operation: string) => /^GET .*\/keys\/active$/.test(operation)
const changes = [/^PUT .*\/keys\/active$/, /^POST .*\/invalidation$/, /^POST \/site-[0-9a-f]+\/?$/]

test('a site is released with each effect once, whichever change the cloud never heard of for a kill', async () => {
  const unheard = new NeverHeard()
  const { service, cloud, user, release } = await startWatchedSite(unheard)
  await user.follow((await release('r/0')).id)
  await unheard.killInsteadOfEach(service, changes, async (change, index) => {
    const { id } = await release(`r/${index + 1}`)
    expect(await user.follow(id), `killed before ${change}`).toMatchObject({ status: 'SUCCESS' })
  })
  await expectEachEffectOnce(cloud, await user.list())
})

test('a promotion that is still on its way when the service dies does not come after a cancel', async () => {
  const arrival = Promise.withResolvers<boolean>()
  let promotions = 0
  let looks = 0
  let isCancelled = false
  const { service, cloud, user, release } = await startWatchedSite({
    sent(operation) {
      if (isLook(operation)) looks += 1
      if (!isPromotion(operation)) return true
      promotions += 1
      if (promotions !== 2) return promotions === 1 || isCancelled // sent again, it would be done before the cancel
      void service.kill('service').then(() => service.start())
      return arrival.promise
    },
  })
  await user.follow((await release('r/0')).id)
  const { id } = await release('r/1')
  await eventually(
    'the promotion to be sent',
    async () => promotions,
    (sent) => sent >= 2,
  )
  await user.cancel(id)
  isCancelled = true
  const before = looks
  await eventually(
    'the service to look whether the promotion has arrived',
    async () => looks,
    (now) => now > before,
  )
  arrival.resolve(true)

  expect(await user.follow(id)).toMatchObject({ status: 'ROLLED_BACK' })
  const puts = await cloud.calls({ operation: 'PutKey', accepted: true, limit: everyCall })
  expect(puts.map(({ request }) => (request as { Value: string }).Value)).toEqual(['r/0', 'r/1', 'r/0'])
  expect(service.kills).toBe(1)
})
