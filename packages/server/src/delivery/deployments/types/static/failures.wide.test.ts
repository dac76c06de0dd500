import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { eq, sql } from '../../../../platform/db/drizzle.ts'
import { eventually } from '../../../../testing/eventually.ts'
import { createTestSite, staticDataOf } from '../../../../testing/static-site.ts'
import { startWorld, type TestOrganization, type World } from '../../../../testing/world.ts'
import { deployments } from '../../store/tables.ts'

let world: World
beforeAll(async () => {
  world = await startWorld({ timing: { invalidationSeconds: 3_600 } })
})
afterAll(() => world?.[Symbol.asyncDispose]())

const untilCalled = (org: TestOrganization, operation: string, times = 1) =>
  eventually(
    `${operation} to be called`,
    () => org.calls(operation),
    (calls) => calls.length >= times,
  )

/** Moves the deadline of a deployment, and the wake-up that it implies, to the past. Counts as a regular write. */
async function passDeadline(id: string): Promise<void> {
  const past = new Date(Date.now() - 1_000)
  const revision = sql`${deployments.revision} + 1`
  await world.db.update(deployments).set({ deadlineAt: past, wakeAt: past, revision }).where(eq(deployments.id, id))
}

describe.concurrent('a static site deployment with errors', () => {
  test("leaves another actor's change of the served directory, and reports it", async () => {
    const org = await world.organization()
    const site = await createTestSite(world, org, { active: 'r/1' })
    await org.fault({ kind: 'throttle', operation: 'PutKey' })
    const { id } = await site.deploy('r/2')
    await untilCalled(org, 'PutKey')

    await site.serve('r/by-hand')

    const failed = await org.untilStatus(id, 'ERROR')
    expect(failed.error).toMatchObject({ code: 'Sluice:Deployments:TARGET_CHANGED' })
    expect(failed.error?.details?.[0]?.object).toMatchObject({ expected: 'r/1', found: 'r/by-hand' })
    expect(await site.active()).toBe('r/by-hand')
  })

  test('continues if only another key of the store was changed', async () => {
    const org = await world.organization()
    const site = await createTestSite(world, org, { active: 'r/1' })
    // As slow as possible: the timeout of a request is 10 s.
    await org.fault({ kind: 'slow', operation: 'PutKey', delayMs: 8_000, times: 1 })
    const { id } = await site.deploy('r/2')
    await untilCalled(org, 'GetKey', 2)

    await site.touchStore()

    await org.untilStatus(id, 'SUCCESS')
    const puts = await org.calls('PutKey')
    expect(puts.map(({ accepted }) => accepted)).toEqual([false, true])
    expect(await site.keys()).toMatchObject({ active: 'r/2', other: expect.any(String) })
  })

  test('without the permission to change the store changes nothing', async () => {
    const org = await world.organization()
    const site = await createTestSite(world, org, { active: 'r/1' })
    await org.deny('cloudfront-keyvaluestore:PutKey')

    const { id } = await site.deploy('r/2')

    const failed = await org.untilStatus(id, 'ERROR')
    expect(failed.error).toMatchObject({ code: 'Sluice:Deployments:CLOUD_REFUSED' })
    expect(failed.error?.message).toContain('PutKey')
    expect(await site.active()).toBe('r/1')
  })

  test('without the permission to invalidate the caches returns to the previous release', async () => {
    const org = await world.organization()
    const site = await createTestSite(world, org, { active: 'r/1', paths: ['/*'] })
    await org.deny('cloudfront:CreateInvalidation')

    const { id } = await site.deploy('r/2')

    const ended = await org.untilStatus(id, 'ROLLED_BACK')
    expect(ended.error).toMatchObject({ code: 'Sluice:Deployments:CLOUD_REFUSED' })
    expect(await site.active()).toBe('r/1')
  })

  test.each(['DescribeKeyValueStore', 'GetKey', 'PutKey', 'ListObjectsV2', 'GetDistribution', 'CreateInvalidation'])(
    'with a lost response of %s does nothing twice',
    async (operation) => {
      const org = await world.organization()
      const site = await createTestSite(world, org, { active: 'r/1', paths: ['/*'], keep: 1 })
      await org.fault({ kind: 'drop-answer', operation, times: 1 })

      const done = await site.release('r/2')

      expect(await org.calls('PutKey', { accepted: true })).toHaveLength(1)
      expect(staticDataOf(done).invalidations).toHaveLength(1)
      expect(await site.active()).toBe('r/2')
    },
  )

  test('is rolled back when it times out before the caches are invalidated', async () => {
    const org = await world.organization()
    const site = await createTestSite(world, org, { active: 'r/1', paths: ['/*'] })
    const { id } = await site.deploy('r/2')
    await untilCalled(org, 'GetInvalidation')

    await passDeadline(id)

    const ended = await org.untilStatus(id, 'ROLLED_BACK')
    expect(ended.error).toMatchObject({ code: 'Sluice:Deployments:TIMED_OUT' })
    expect(await site.active()).toBe('r/1')
  })
})
