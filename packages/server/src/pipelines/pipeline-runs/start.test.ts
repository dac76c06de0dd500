import { failures, type PipelineRun } from '@sluice/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { serviceAuthor } from '../../identity/audit-events/author.ts'
import { eq } from '../../platform/db/drizzle.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import { apiErrorOf } from '../../testing/api-errors.ts'
import { Client } from '../../testing/client.ts'
import { type SeededOrganization, seedOrganization, startHttpWorld } from '../../testing/http-world.ts'
import { findPipeline } from '../pipelines/store.ts'
import { pipelineRuns, pipelineStepExecutions } from '../pipelines/tables.ts'
import { maxChainLength } from './machine.ts'
import { startRun } from './start.ts'

let world: Awaited<ReturnType<typeof startHttpWorld>>
let owner: SeededOrganization
let client: Client
let projectId: string

beforeAll(async () => {
  world = await startHttpWorld()
  owner = await seedOrganization(world.db)
  client = new Client(world.url, owner.key)
  const project = { data: { givenId: 'shop', name: 'Shop' } }
  projectId = (await client.done<{ id: string }>('POST', '/projects', project)).id
})
afterAll(() => world?.[Symbol.asyncDispose]())

const steps = [{ id: 'ask', type: 'approval' }]

let names = 0
async function pipelineWith(config: object): Promise<string> {
  names += 1
  const data = { projectId, givenId: `release-${names}`, name: 'Release' }
  const { id } = await client.done<{ id: string }>('POST', '/pipelines', { data })
  await client.done('POST', '/pipeline-versions', { data: { pipelineId: id, config: { steps, ...config } } })
  return id
}
const ask = (pipelineId: string, inputs: object = {}) =>
  client.ask('POST', '/pipeline-runs', { data: { pipelineId, inputs } })
const run = (pipelineId: string, inputs: object = {}) =>
  client.done<PipelineRun>('POST', '/pipeline-runs', { data: { pipelineId, inputs } })
async function rowOf(id: string) {
  const [row] = await world.db.select().from(pipelineRuns).where(eq(pipelineRuns.id, id))
  if (!row) throw new Error(`there is no run ${id}`)
  return row
}

describe('inputs', () => {
  const inputs = [
    { id: 'image', type: 'string', required: true },
    { id: 'stage', type: 'string', values: ['test', 'live'], default: 'test' },
    { id: 'count', type: 'number' },
    { id: 'hosts', type: 'string_array', default: ['a'] },
  ]

  test('a run has the given inputs, and defaults for the others', async () => {
    const pipelineId = await pipelineWith({ inputs })
    const { inputs: values } = await run(pipelineId, { image: 'web:1', hosts: null })
    expect(values).toEqual({ image: 'web:1', stage: 'test', hosts: null })
  })

  test('every error is returned with its path', async () => {
    const pipelineId = await pipelineWith({ inputs })
    const answer = await ask(pipelineId, { stage: 'life', count: '3', hosts: [1], imag: 'web:1' })
    expect(answer).toMatchObject({
      ...apiErrorOf('runInputInvalid'),
      body: {
        details: [
          {
            items: [
              '$.data.inputs.imag: unknown input; the pipeline takes image, stage, count, hosts',
              '$.data.inputs.image: required, but missing',
              '$.data.inputs.stage: expected one of "test", "live"',
              '$.data.inputs.count: expected a number, got a string',
              '$.data.inputs.hosts: expected a list of texts, got a list',
            ],
          },
        ],
      },
    })
  })
})

describe('concurrency', () => {
  const inputs = [{ id: 'stage', type: 'string' }]
  const group = 'deploy << project.given_id >> << inputs.stage >>'
  const groupOf = (name: string) => `${name} << inputs.stage >>`

  test('the group is rendered when the run is created', async () => {
    const pipelineId = await pipelineWith({ inputs, concurrency: { group } })
    const { id } = await run(pipelineId, { stage: 'live' })
    expect(await rowOf(id)).toMatchObject({ concurrencyGroup: 'deploy shop live', status: 'QUEUED' })
  })

  test('a group that renders to an empty value is none', async () => {
    const pipelineId = await pipelineWith({ inputs, concurrency: { group: '<< inputs.stage >>', policy: 'reject' } })
    const runs = [await run(pipelineId), await run(pipelineId)]
    expect((await rowOf(runs[1]?.id ?? '')).concurrencyGroup).toBeNull()
  })

  test('a group that cannot be rendered is rejected', async () => {
    const pipelineId = await pipelineWith({ inputs, concurrency: { group: '<< "a" + inputs.stage >>' } })
    expect(await ask(pipelineId)).toMatchObject({
      ...apiErrorOf('runTemplateFailed'),
      body: { details: [{ items: [expect.stringMatching(/^concurrency.group: /)] }] },
    })
  })

  test('queue: the next run waits', async () => {
    const pipelineId = await pipelineWith({ inputs, concurrency: { group: groupOf('queue') } })
    const first = await run(pipelineId, { stage: 'live' })
    await run(pipelineId, { stage: 'live' })
    expect((await rowOf(first.id)).cancelRequest).toBeNull()
  })

  test('reject: the next run of the group is rejected, and the error names the one before it', async () => {
    const pipelineId = await pipelineWith({ inputs, concurrency: { group: groupOf('reject'), policy: 'reject' } })
    const first = await run(pipelineId, { stage: 'live' })
    expect(await ask(pipelineId, { stage: 'live' })).toMatchObject({
      ...apiErrorOf('runGroupBusy'),
      body: { metadata: { pipelineRunId: first.id } },
    })
    await run(pipelineId, { stage: 'test' })
    await client.done('POST', `/pipeline-runs/${first.id}/cancel`)
    await run(pipelineId, { stage: 'live' })
  })

  test('reject: only one of several concurrent requests creates a run', async () => {
    const pipelineId = await pipelineWith({ concurrency: { group: 'at once', policy: 'reject' } })
    const answers = await Promise.all(Array.from({ length: 6 }, () => ask(pipelineId)))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 422, 422, 422, 422, 422])
  })

  test('cancel_previous: active runs are cancelled, with the reason', async () => {
    const concurrency = { group: groupOf('cancel'), policy: 'cancel_previous' }
    const pipelineId = await pipelineWith({ inputs, concurrency })
    const first = await run(pipelineId, { stage: 'live' })
    const other = await run(pipelineId, { stage: 'test' })
    const before = await rowOf(first.id)
    const second = await run(pipelineId, { stage: 'live' })
    const after = await rowOf(first.id)
    expect(after.cancelRequest?.error).toMatchObject({
      code: failures.runSuperseded.code,
      message: expect.stringContaining(second.id),
      metadata: { pipelineRunId: second.id },
    })
    expect(after.revision).toBe(before.revision + 1)
    expect((await rowOf(other.id)).cancelRequest).toBeNull()
    expect((await rowOf(second.id)).cancelRequest).toBeNull()
    // The first requester of the cancellation stays the same.
    await run(pipelineId, { stage: 'live' })
    expect((await rowOf(first.id)).cancelRequest).toEqual(after.cancelRequest)
  })
})

describe('runs within runs', () => {
  async function child(pipelineId: string, parentRunId: string) {
    const [step] = await world.db
      .select()
      .from(pipelineStepExecutions)
      .where(eq(pipelineStepExecutions.pipelineRunId, parentRunId))
    const { organizationId } = owner
    const pipeline = await findPipeline(world.db, organizationId, pipelineId)
    if (!pipeline || !step) throw new Error('there is no such pipeline or step')
    const trigger = { kind: 'pipeline' } as const
    const parent = { parentStepExecutionId: step.id, triggerSource: 'PIPELINE', triggeredBy: 'a step' } as const
    const author = serviceAuthor(organizationId)
    return world.db.transaction((tx) =>
      startRun(tx, { organizationId, pipeline, inputs: {}, trigger, author, ...parent }, new Date()),
    )
  }

  test('a run does not wait for itself', async () => {
    const pipelineId = await pipelineWith({ concurrency: { group: 'within' } })
    const parent = await run(pipelineId)
    const refused = await child(pipelineId, parent.id).catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(ApiError)
    expect(refused).toMatchObject({ key: 'runGroupBusy', extras: { metadata: { pipelineRunId: parent.id } } })
  })

  test('a pipeline that runs itself is stopped', async () => {
    const pipelineId = await pipelineWith({})
    let { id } = await run(pipelineId)
    for (let depth = 1; depth <= maxChainLength; depth++) id = (await child(pipelineId, id)).id
    await expect(child(pipelineId, id)).rejects.toMatchObject({ key: 'runChainTooLong' })
  })
})
