import { apiErrors, type Stack, type StackDrift } from '@sluice/contract'
import pino from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { savePlan } from '../../pipelines/iac-plans/store.ts'
import { findPipelineRun } from '../../pipelines/pipeline-runs/store.ts'
import { pipelineRuns, pipelineStepExecutions } from '../../pipelines/pipelines/tables.ts'
import { eq } from '../../platform/db/drizzle.ts'
import { connectEngine } from '../../platform/engine/client.ts'
import { Limits } from '../../platform/limits/limits.ts'
import { Client } from '../../testing/client.ts'
import { startHttpWorld } from '../../testing/http-world.ts'
import { addMember } from '../../testing/members.ts'
import { createOneOfEverything } from '../../testing/resources.ts'
import { driftCheckEnded } from './ended.ts'
import { startDueChecks } from './schedule.ts'

let world: Awaited<ReturnType<typeof startHttpWorld>>
let client: Client
let projectId: string
let organizationId: string

beforeAll(async () => {
  world = await startHttpWorld()
  ;({ organizationId } = await createOneOfEverything(world.db))
  client = new Client(world.url, await addMember(world.db, organizationId, 'OWNER'))
  const project = { data: { givenId: 'shop', name: 'Shop' } }
  projectId = (await client.done<{ id: string }>('POST', '/projects', project)).id
})
afterAll(() => world?.[Symbol.asyncDispose]())

const parts = (clock: () => Date) => ({
  db: world.db,
  engine: connectEngine({ url: 'http://127.0.0.1:9' }),
  clock,
  log: pino({ level: 'silent' }),
  limits: new Limits({ driftChecks: 2 }),
})

let names = 0
async function stackWith(type: string): Promise<{ stack: Stack; pipelineId: string }> {
  names += 1
  const named = { projectId, givenId: `net-${names}`, name: 'Network' }
  const stack = await client.done<Stack>('POST', '/stacks', { data: named })
  const { id: pipelineId } = await client.done<{ id: string }>('POST', '/pipelines', { data: named })
  const step = { id: 'look', type, with: { stack: named.givenId, source: { files: { 'main.tf': '' } } } }
  await client.done('POST', '/pipeline-versions', { data: { pipelineId, config: { steps: [step] } } })
  return { stack, pipelineId }
}

type Named = Pick<Stack, 'id'>
const drift = ({ id }: Named) => client.done<StackDrift>('GET', `/stacks/${id}/drift`)
const set = ({ id }: Named, schedule: object | null) =>
  client.ask('PATCH', `/stacks/${id}/drift`, { data: { schedule } })
const hourly = { cron: '0 * * * *', timeZone: 'UTC' }
const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000)

/** Ends the drift check in progress with this number of drifted resources. */
async function end(stack: Named, driftedCount: number): Promise<void> {
  const { latestCheck } = await drift(stack)
  const id = latestCheck?.pipelineRunId ?? ''
  const [step] = await world.db
    .select()
    .from(pipelineStepExecutions)
    .where(eq(pipelineStepExecutions.pipelineRunId, id))
  const made = { tool: 'iac', toolVersion: '1', source: {}, configDigest: 'a', inputsDigest: 'b' } as const
  const what = { stackId: stack.id, kind: 'DRIFT', status: 'PLANNED', hasChanges: false } as const
  const of = { organizationId, pipelineRunId: id, stepExecutionId: step?.id ?? '' }
  await savePlan(world.db, { ...of, ...what, ...made, summary: { changeCounts: {}, driftedCount } })
  await world.db.update(pipelineRuns).set({ status: 'SUCCESS' }).where(eq(pipelineRuns.id, id))
  const run = await findPipelineRun(world.db, organizationId, id)
  if (run)
    await world.db.transaction((tx) =>
      driftCheckEnded(
        tx,
        run,
        parts(() => new Date()),
        new Date(),
      ),
    )
}

test('stacks are checked on schedule, up to a limit at a time, and report the result', async () => {
  const placed = [await stackWith('iac:drift'), await stackWith('iac:drift'), await stackWith('iac:drift')]
  for (const { stack, pipelineId } of placed)
    expect(await set(stack, { ...hourly, pipelineId })).toMatchObject({ status: 200 })
  expect(await startDueChecks(parts(() => new Date())), 'none is due').toBe(0)
  const later = inHours(2)
  expect(await startDueChecks(parts(() => later))).toBe(2)
  expect(await startDueChecks(parts(() => later)), 'two are under way').toBe(0)
  const known = async () => Promise.all(placed.map(({ stack }) => drift(stack)))
  const [first] = (await known()).filter(({ latestCheck }) => latestCheck?.status === 'IN_PROGRESS')
  const stack = { id: first?.stackId ?? '' }
  await end(stack, 2)
  expect(await drift(stack)).toMatchObject({ latestCheck: { status: 'DRIFTED' }, driftedSince: expect.any(String) })
  expect(await startDueChecks(parts(() => later)), 'the third has room').toBe(1)
  const statuses = (await known()).map(({ latestCheck }) => latestCheck?.status).toSorted()
  expect(statuses).toEqual(['DRIFTED', 'IN_PROGRESS', 'IN_PROGRESS'])
  // A check that is still in progress is not started again.
  const others = (await known()).filter(({ latestCheck }) => latestCheck?.status === 'IN_PROGRESS')
  await startDueChecks({ ...parts(() => inHours(4)), limits: new Limits({}) })
  for (const { stackId, latestCheck } of others) {
    expect((await client.done<StackDrift>('GET', `/stacks/${stackId}/drift`)).latestCheck).toEqual(latestCheck)
  }
  await end(stack, 0)
  const again = await drift(stack)
  expect(again).toMatchObject({ latestCheck: { status: 'IN_SYNC' } })
  expect(again).not.toHaveProperty('driftedSince')
})

test('a schedule without any occurrence is rejected, and a check that cannot start is recorded', async () => {
  const { stack, pipelineId } = await stackWith('iac:plan')
  const { status, code } = { ...apiErrors.stackNotAvailable }
  expect(await set(stack, hourly)).toMatchObject({ status, body: { code } })
  expect(await set(stack, { ...hourly, pipelineId, reconciles: true })).toMatchObject({ status, body: { code } })
  expect(await set(stack, { cron: '61 * * * *', pipelineId })).toMatchObject({ status: 400 })
  expect(await set(stack, { ...hourly, pipelineId })).toMatchObject({ status: 200 })
  expect(await client.ask('POST', `/stacks/${stack.id}/drift/check`)).toMatchObject({ status, body: { code } })
  await startDueChecks({ ...parts(() => inHours(2)), limits: new Limits({}) })
  expect(await drift(stack)).toMatchObject({ latestCheck: { status: 'FAILED', error: { code } } })
  expect(await set(stack, null)).toMatchObject({ status: 200 })
  expect(await drift(stack)).not.toHaveProperty('schedule')
})
