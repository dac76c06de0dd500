import type { SimControl } from '@sluice/cloud-sim'
import type { Deployment } from '@sluice/contract'
import { expect, test } from 'vitest'
import { eventually } from '../src/testing/eventually.ts'
import { createTestSite, staticDataOf } from '../src/testing/static-site.ts'
import type { TestOrganization, World } from '../src/testing/world.ts'
import type { Watcher } from './gateway.ts'
import { KillAfterCallWatcher, KillBeforeCallWatcher } from './moments.ts'
import { createAccountUsers, releasesPerKill, startObservedEnvironment } from './parties.ts'
import type { User } from './user.ts'

const releases = Array.from({ length: 40 }, (_, index) => `r/${index}`)

const startWatchedSites = (watcher: Watcher, count: number) =>
  startObservedEnvironment(watcher, createAccountUsers(count, settle))

type Owner = { user: User; moduleInstanceId: string }

const release = async ({ user, moduleInstanceId }: Owner, directory: string) =>
  user.follow((await user.deploy(moduleInstanceId, directory, { directory })).id)

/** Creates a site with uploaded releases, each of which removes the directory of the previous one. */
async function settle(world: World, organization: TestOrganization) {
  const { moduleInstanceId } = await createTestSite(world, organization, { releases, keep: 1, paths: ['/*'] })
  return { moduleInstanceId }
}

const everyCall = 1_000_000

/** Expects that each release was served once, invalidated the caches once, and only then removed the previous one. */
async function expectEachEffectOnce(cloud: SimControl, account: string, deployments: Deployment[]): Promise<void> {
  const oldestFirst = deployments.toReversed().map(staticDataOf)
  const accepted = (operation: string) => cloud.calls({ operation, account, accepted: true, limit: everyCall })
  const served = (await accepted('PutKey')).map(({ request }) => (request as { Value: string }).Value)
  expect(served, 'directories that were served').toEqual(oldestFirst.map(({ prefix }) => prefix))
  for (const [index, { invalidations, removedPrefixes, events }] of oldestFirst.entries()) {
    const before = oldestFirst[index - 1]?.prefix
    expect(invalidations).toMatchObject([{ status: 'Completed' }])
    expect(removedPrefixes ?? []).toMatchObject(before ? [{ prefix: before, completedAt: expect.any(String) }] : [])
    expect(events?.map(({ stepCode }) => stepCode)).toEqual(['INIT', 'PROMOTE', 'INVALIDATE', 'CLEAN_UP', 'COMPLETED'])
  }
}

test('a site is released with each effect once, whichever call of the cloud was the last before a kill', async () => {
  const moments = new KillAfterCallWatcher()
  const { service, cloud, parties } = await startWatchedSites(moments, releasesPerKill)
  const count = await moments.killAtEach(service, parties, {
    async release(party, moment) {
      expect(await release(party, `r/${moment}`), `killed at moment ${moment}`).toMatchObject({ status: 'SUCCESS' })
    },
  })
  expect(count).toBeGreaterThan(6)
  for (const { accountNumber, user } of parties) await expectEachEffectOnce(cloud, accountNumber, await user.list())
  expect(service.ownEnds).toEqual([])
})

const isPromotion = (operation: string) => /^PUT .*\/keys\/active$/.test(operation)
const isLook = (operation: string) => /^GET .*\/keys\/active$/.test(operation)
const changes = [/^PUT .*\/keys\/active$/, /^POST .*\/invalidation$/, /^POST \/site-[0-9a-f]+\/?$/]

test('a site is released with each effect once, whichever change a kill prevented', async () => {
  const unheard = new KillBeforeCallWatcher()
  const { service, cloud, parties } = await startWatchedSites(unheard, changes.length)
  await Promise.all(parties.map((party) => release(party, 'r/0')))
  await unheard.killInsteadOfEach(service, parties, changes, async (party, change, nth) => {
    expect(await release(party, `r/${nth}`), `killed before ${change}`).toMatchObject({ status: 'SUCCESS' })
  })
  for (const { accountNumber, user } of parties) await expectEachEffectOnce(cloud, accountNumber, await user.list())
})

test('a promotion that is in flight when the service dies does not take effect after a cancel', async () => {
  const arrival = Promise.withResolvers<boolean>()
  let promotions = 0
  let looks = 0
  let isCancelled = false
  const { service, cloud, parties } = await startWatchedSites(
    {
      sent(operation) {
        if (isLook(operation)) looks += 1
        if (!isPromotion(operation)) return true
        promotions += 1
        // A repeated promotion would take effect before the cancel.
        if (promotions !== 2) return promotions === 1 || isCancelled
        service.killAndRestart()
        return arrival.promise
      },
    },
    1,
  )
  const [party] = parties
  const { user, moduleInstanceId } = party
  await release(party, 'r/0')
  const { id } = await user.deploy(moduleInstanceId, 'r/1', { directory: 'r/1' })
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
