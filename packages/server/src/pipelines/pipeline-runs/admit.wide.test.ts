import type { PipelineRun } from '@sluice/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually } from '../../testing/eventually.ts'
import { startWorld, type World } from '../../testing/world.ts'

let world: World
beforeAll(async () => {
  const env = { SLUICE_LIMIT_RUNNING_STEPS: '1', SLUICE_LIMIT_QUEUED_STEPS: '2', SLUICE_LIMIT_QUEUED_RUNS: '2' }
  world = await startWorld({ env })
})
afterAll(() => world?.[Symbol.asyncDispose]())

const asking = (limit: string) => ({
  status: 429,
  body: { code: 'Sluice:Request:RATE_LIMITED', metadata: { limit, most: 2 } },
})

test('no run starts while the maximum number of steps waits for shared runners', async () => {
  const { pipelines, client } = await world.organization()
  const { id: pipelineId } = await pipelines.create({
    steps: [{ id: 'long', type: 'command', with: { argv: ['sleep', '600'] } }],
  })
  const begin = async (isThere: (step: { status: string; queueReason?: string }) => boolean) => {
    const { id } = await pipelines.start(pipelineId)
    await eventually('its step to be where it belongs', () => pipelines.step(id, 'long'), isThere)
    return id
  }
  const running = await begin(({ status }) => status === 'IN_PROGRESS')
  const waits = (step: { queueReason?: string }) => step.queueReason === 'RUNNER_CAPACITY'
  const waiting = [await begin(waits), await begin(waits)]

  expect(await client.ask('POST', '/pipeline-runs', { data: { pipelineId } })).toMatchObject(asking('queuedSteps'))

  for (const id of waiting) await pipelines.cancel(id)
  await pipelines.untilOver(waiting[0] ?? '')
  await begin(waits)
  await pipelines.cancel(running)
})

test('no run starts while the maximum number of runs is queued', async () => {
  const { pipelines, client } = await world.organization()
  const { id: pipelineId } = await pipelines.create({
    concurrency: { group: 'one' },
    steps: [{ id: 'ask', type: 'approval' }],
  })
  const first = await pipelines.start(pipelineId)
  await pipelines.untilStep(first.id, 'ask', 'PENDING_APPROVAL')
  const second: PipelineRun = await pipelines.start(pipelineId)
  await pipelines.start(pipelineId)

  expect(await client.ask('POST', '/pipeline-runs', { data: { pipelineId } })).toMatchObject(asking('queuedRuns'))

  await pipelines.cancel(second.id)
  await pipelines.untilOver(second.id)
  await pipelines.start(pipelineId)
})
