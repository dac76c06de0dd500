import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { eq } from '../../platform/db/drizzle.ts'
import { newId } from '../../platform/ids.ts'
import { stacks } from '../../stacks/stacks/tables.ts'
import { pipelineStepExecutions } from '../pipelines/tables.ts'
import { type LeaseRequest, leaseSteps, recordCappedSteps, recordLockedStacks, returnToQueue } from './claim.ts'
import { type RunnerTestApi, startRunnerTestApi } from './runner.fixture.ts'

let yard: RunnerTestApi
beforeAll(async () => {
  yard = await startRunnerTestApi()
})
afterAll(() => yard?.[Symbol.asyncDispose]())

const claimant = (stepTypes = ['command']) => {
  const now = new Date()
  return { runnerId: newId('rnr'), scope: {}, stepTypes, now, leaseUntil: new Date(now.getTime() + 30_000) }
}
const claim = (most: number, as: LeaseRequest = claimant()) => leaseSteps(yard.db, as, most)

async function stack(): Promise<string> {
  const id = newId('stk')
  const { organizationId, projectId } = yard
  await yard.db.insert(stacks).values({ id, organizationId, projectId, givenId: id.replace('_', '-'), name: 'S' })
  return id
}
const end = (id: string) =>
  yard.db.update(pipelineStepExecutions).set({ status: 'SUCCESS' }).where(eq(pipelineStepExecutions.id, id))
const many = <T>(count: number, make: () => Promise<T>) => Promise.all(Array.from({ length: count }, make))

describe('leasing steps', () => {
  test('never assigns a step to two runners, and leaves none out', async () => {
    const ids = await many(60, () => yard.command({}))
    const runners = Array.from({ length: 6 }, () => claimant())
    const taken: { id: string; runnerId: string | null; attemptEpoch: number }[] = []
    await Promise.all(
      runners.map(async (runner) => {
        for (let round = 0; round < 40 && taken.length < ids.length; round += 1) taken.push(...(await claim(3, runner)))
      }),
    )
    expect(taken.map(({ id }) => id).toSorted()).toEqual(ids.toSorted())
    for (const { id, runnerId, attemptEpoch } of taken) {
      expect(await yard.stepOf(id)).toMatchObject({ runnerId, attemptEpoch, status: 'IN_PROGRESS' })
      expect(attemptEpoch).toBe(1)
    }
  })

  test('assigns one step of a stack at a time, and all of them in the end', async () => {
    const stackIds = await many(3, stack)
    const ids = (
      await Promise.all(stackIds.map((stackId) => many(6, () => yard.command({}, { step: { stackId } }))))
    ).flat()
    const busy = new Map<string, number>()
    let most = 0
    let over = 0
    await many(5, async () => {
      const runner = claimant()
      for (let round = 0; round < 300 && over < ids.length; round += 1) {
        for (const { id, stackId } of await claim(4, runner)) {
          const key = stackId ?? ''
          busy.set(key, (busy.get(key) ?? 0) + 1)
          most = Math.max(most, busy.get(key) ?? 0)
          await recordLockedStacks(yard.db, ['command'])
          busy.set(key, (busy.get(key) ?? 0) - 1)
          await end(id)
          over += 1
        }
      }
    })
    expect(over).toBe(ids.length)
    expect(most).toBe(1)
  })

  test('records why a step waits for its stack, and updates the reason when another step holds it', async () => {
    const stackId = await stack()
    const [first = '', second = '', third = ''] = [
      await yard.command({}, { step: { stackId } }),
      await yard.command({}, { step: { stackId } }),
      await yard.command({}, { step: { stackId } }),
    ]
    expect((await claim(10)).map(({ id }) => id)).toEqual([first])
    await recordLockedStacks(yard.db, ['command'])
    const locked = (heldBy: string) => ({ queueReason: 'STACK_LOCKED', queueMetadata: { stackId, heldBy } })
    expect(await yard.stepOf(second)).toMatchObject(locked(first))
    expect(await yard.stepOf(third)).toMatchObject(locked(first))
    const { revision } = await yard.stepOf(third)
    await recordLockedStacks(yard.db, ['command'])
    expect((await yard.stepOf(third)).revision).toBe(revision) // without a change nothing is written
    await end(first)
    expect((await claim(10)).map(({ id }) => id)).toEqual([second])
    await recordLockedStacks(yard.db, ['command'])
    expect(await yard.stepOf(third)).toMatchObject(locked(second))
    await end(second)
    expect(await claim(10)).toMatchObject([{ id: third, queueMetadata: {} }])
    await end(third)
  })

  test('prefers the organization with the fewest active steps, regardless of age', async () => {
    const crowd = await many(300, () => yard.command({}))
    const busy = (await claim(4)).map(({ id }) => id)
    expect(busy.every((id) => crowd.includes(id))).toBe(true)
    const late = await yard.organization()
    const first = await yard.command({}, { organization: late })
    const second = await yard.command({}, { organization: late })
    expect((await claim(1)).map(({ id }) => id)).toEqual([first])
    expect((await claim(1)).map(({ id }) => id)).toEqual([second])
    const next = await claim(2)
    expect(next.map(({ organizationId }) => organizationId)).toEqual([yard.organizationId, yard.organizationId])
    for (const id of [...crowd, first, second]) await end(id)
  })

  test('limits the active steps of an organization on shared runners, also for concurrent requests', async () => {
    const [first, other] = [await yard.organization(), await yard.organization()]
    const ids = (await many(20, () => yard.command({}, { organization: first }))).toSorted()
    const theirs = await many(2, () => yard.command({}, { organization: other }))
    const capped = () => ({ ...claimant(), mostRunning: 3 })
    const taken = (await many(6, () => claim(4, capped()))).flat()
    const ofFirst = taken.filter(({ organizationId }) => organizationId === first.organizationId)
    expect(ofFirst.map(({ id }) => id).toSorted()).toEqual(ids.slice(0, 3))
    expect(taken.map(({ id }) => id)).toEqual(expect.arrayContaining(theirs))

    await recordCappedSteps(yard.db, ['command'], 3)
    const [fourth = '', fifth = ''] = ids.slice(3)
    const waits = { queueReason: 'RUNNER_CAPACITY', queueMetadata: { limit: 'runningSteps', most: 3 } }
    expect(await yard.stepOf(fourth)).toMatchObject(waits)
    await end(ids[0] ?? '')
    expect((await claim(4, capped())).map(({ id }) => id)).toEqual([fourth])
    await recordCappedSteps(yard.db, ['command'], 30)
    expect(await yard.stepOf(fifth)).toMatchObject({ queueReason: 'RUNNER_CAPACITY', queueMetadata: {} })
    for (const id of [...ids.slice(1), ...theirs]) await end(id)
  })

  test('has no such limit for runners of a pool, which belong to the organization', async () => {
    const { organizationId } = yard
    const executionEnvironmentId = newId('ee')
    const ids = await many(5, () => yard.command({}, { step: { executionEnvironmentId } }))
    const scope = { organizationId, executionEnvironmentId, runnerTokenId: newId('rtk') }
    expect(await claim(10, { ...claimant(), scope, mostRunning: 2 })).toHaveLength(5)
    for (const id of ids) await end(id)
  })

  test('assigns to runners of a pool only the steps of that pool, and not of an equally named pool elsewhere', async () => {
    const other = await yard.organization()
    const { organizationId } = other
    const executionEnvironmentId = newId('ee')
    const ofPool = { step: { executionEnvironmentId } }
    const theirs = await yard.command({}, ofPool)
    const shared = await yard.command({}, { organization: other })
    const own = await yard.command({}, { organization: other, ...ofPool })
    const as = { ...claimant(), scope: { organizationId, executionEnvironmentId, runnerTokenId: newId('rtk') } }
    expect((await claim(10, as)).map(({ id }) => id)).toEqual([own])
    expect((await claim(10)).map(({ id }) => id)).toEqual([shared])
    for (const id of [theirs, shared, own]) await end(id)
  })

  test('returns steps that were leased for a vanished runner to the queue, and no others', async () => {
    await many(2, () => yard.command({}))
    const [first, second] = await claim(2)
    if (!first || !second) throw new Error('both are to be had')
    await end(second.id)
    await returnToQueue(yard.db, [first, second])
    expect(await claim(2)).toMatchObject([{ id: first.id, attemptEpoch: 2 }])
    await returnToQueue(yard.db, [first]) // an attempt that was returned earlier belongs to another runner now
    expect(await claim(2)).toEqual([])
    expect(await yard.stepOf(second.id)).toMatchObject({ status: 'SUCCESS' })
    await end(first.id)
  })

  test('assigns only waiting steps of known types, oldest first', async () => {
    const waits = await yard.command({}, { step: { queueReason: 'DEPENDENCIES' } })
    const other = await yard.command({}, { step: { stepType: 'iac:plan' } })
    const ids = [await yard.command({}), await yard.command({}), await yard.command({})]
    expect((await claim(2)).map(({ id }) => id).toSorted()).toEqual(ids.slice(0, 2))
    expect((await claim(2)).map(({ id }) => id)).toEqual(ids.slice(2))
    expect(await yard.stepOf(waits)).toMatchObject({ status: 'QUEUED', attemptEpoch: 0 })
    expect((await claim(2, claimant(['iac:plan']))).map(({ id }) => id)).toEqual([other])
  })
})
