import { apiErrors, failures, type PipelineStepExecution } from '@sluice/contract'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { eq } from '../../platform/db/drizzle.ts'
import { eventually } from '../../testing/eventually.ts'
import type { Pipelines } from '../../testing/pipelines.ts'
import { type Received, startStubServer } from '../../testing/stub-server.ts'
import { sharedWorld, type TestOrganization, type World } from '../../testing/world.ts'
import { pipelineRuns, pipelineStepExecutions } from '../pipelines/tables.ts'

let world: World
let organization: TestOrganization
let pipelines: Pipelines
let server: Awaited<ReturnType<typeof startStubServer>>
/** Response of the server in the current test. */
let answer: (received: Received) => Promise<{ status?: number; body?: unknown }>

beforeAll(async () => {
  server = await startStubServer((received) => answer(received))
  world = await sharedWorld()
  organization = await world.organization()
  pipelines = organization.pipelines
})
afterAll(() => server?.[Symbol.asyncDispose]())
beforeEach(() => {
  answer = async () => ({})
})

const ask = (id: string, more: object = {}) => ({ id, type: 'http', with: { url: `${server.url}/${id}` }, ...more })
const gate = (id: string, more: object = {}) => ({ id, type: 'approval', ...more })
const statusesOf = async (runId: string) => (await pipelines.steps(runId)).map(({ status }) => status)
const receivedBy = (path: string) => server.received.filter((one) => one.path === path)

test('steps run in their order, and pass on their outputs', async () => {
  answer = async ({ path }) => ({ body: { told: path } })
  const { id, givenId } = await pipelines.create({
    inputs: [{ id: 'name', type: 'string' }],
    steps: [
      ask('first'),
      ask('second', {
        with: {
          method: 'POST',
          url: `${server.url}/<< inputs.name >>`,
          headers: { 'x-before': '<< steps.first.output.body.told >>' },
          body: { run: '<< pipeline.run.id >>' },
        },
      }),
    ],
  })
  const run = await pipelines.start(id, { name: 'ada' })
  expect(await pipelines.untilOver(run.id)).toMatchObject({ status: 'SUCCESS', startedAt: expect.any(String) })
  const [request] = receivedBy('/ada')
  expect(request).toMatchObject({ method: 'POST', body: JSON.stringify({ run: run.id }) })
  expect(request?.headers).toMatchObject({ 'x-before': '/first', 'content-type': 'application/json' })
  const steps = await pipelines.steps(run.id)
  expect(steps[1]).toMatchObject({
    status: 'SUCCESS',
    attemptEpoch: 1,
    retryAttempt: 0,
    isLastRetry: true,
    inputData: { url: `${server.url}/ada`, body: { run: run.id } },
    outputData: { status: 200, body: { told: '/ada' } },
    engineRunId: expect.stringMatching(/^inv_/),
    engineWorkflowId: steps[1]?.id,
  })
  expect(request?.headers['idempotency-key']).toBe(`${steps[1]?.id}-1`)
  const pipeline = await pipelines.client.done('GET', `/pipelines/${id}`)
  expect(pipeline).toMatchObject({ givenId, latestRunId: run.id, latestRunStatus: 'SUCCESS' })
})

test('a failed step fails the run, and its dependents are skipped', async () => {
  answer = async () => ({ status: 503, body: { why: 'closed' } })
  const run = await pipelines.run([ask('a'), ask('b'), ask('c', { when: '<< not needs.succeeded >>', needs: ['a'] })])
  const over = await pipelines.untilOver(run.id)
  expect(over).toMatchObject({ status: 'ERROR', error: { code: failures.stepFailed.code } })
  const [a, b] = await pipelines.steps(run.id)
  expect(a).toMatchObject({ status: 'ERROR', error: { code: failures.requestFailed.code, metadata: { status: 503 } } })
  expect(a?.error?.details?.[0]?.items?.[0]).toContain('closed')
  expect(b).toMatchObject({ status: 'SKIPPED', statusDetail: { skipped: 'It needs a, which is ERROR.' } })
  expect(receivedBy('/c').length).toBeGreaterThan(0)
})

test.each([
  ['that cannot be evaluated', '<< inputs.name - 1 >>', 'steps.a.with.url'],
  ['of the wrong kind', '<< inputs.map >>', 'steps.a.with.url: expected string, got object'],
])('a template %s fails its step with the path', async (_, url, where) => {
  const inputs = [
    { id: 'name', type: 'string', default: 'ada' },
    { id: 'map', type: 'object', default: {} },
  ]
  const run = await pipelines.run([ask('a', { with: { url } })], { inputs })
  await pipelines.untilOver(run.id)
  const { error } = await pipelines.step(run.id, 'a')
  expect(error?.code).toBe(failures.templateInvalid.code)
  expect(error?.details?.[0]?.items?.[0]).toContain(where)
})

describe('a retry', () => {
  test('repeats the request until it succeeds', async () => {
    let calls = 0
    answer = async () => ({ status: ++calls < 3 ? 500 : 200 })
    const run = await pipelines.run([ask('again', { retry: { attempts: 5, backoff_seconds: 0.2 } })])
    expect(await pipelines.untilOver(run.id)).toMatchObject({ status: 'SUCCESS' })
    expect(await pipelines.step(run.id, 'again')).toMatchObject({
      attemptEpoch: 3,
      retryAttempt: 2,
      isLastRetry: false,
    })
    expect(calls).toBe(3)
  })

  test('waits for its time, with the reason', async () => {
    answer = async () => ({ status: 500 })
    const run = await pipelines.run([ask('later', { retry: { attempts: 2, backoff_seconds: 600 } })])
    const waiting = await eventually(
      'the back-off',
      () => pipelines.step(run.id, 'later'),
      ({ queueReason }) => queueReason === 'RETRY_BACKOFF',
    )
    expect(waiting).toMatchObject({ status: 'QUEUED', retryAttempt: 1, isLastRetry: true })
    expect(waiting.queueMetadata).toMatchObject({
      readyAt: expect.stringMatching(/Z$/),
      error: { code: failures.requestFailed.code },
    })
    expect(await pipelines.cancel(run.id)).toMatchObject({ status: 'CANCELLED' })
    expect(await statusesOf(run.id)).toEqual(['CANCELLED'])
  })
})

describe('an approval', () => {
  test('lets the run continue, and its result is an output', async () => {
    const run = await pipelines.run([
      gate('gate', { approval: { message: 'Release << pipeline.name >>?', timeout_seconds: 3600 } }),
      ask('after', { with: { url: `${server.url}/by?<< steps.gate.output.by >>` } }),
    ])
    expect(await pipelines.until(run.id, 'PENDING_APPROVAL')).toMatchObject({ status: 'PENDING_APPROVAL' })
    const { statusDetail } = await pipelines.step(run.id, 'gate')
    expect(statusDetail).toMatchObject({ approval: { message: 'Release Release?', onTimeout: 'reject' } })
    expect(await pipelines.approve(run.id, 'gate')).toMatchObject({ status: 'QUEUED', queueReason: 'APPROVED' })
    expect(await pipelines.untilOver(run.id)).toMatchObject({ status: 'SUCCESS' })
    const { outputData } = await pipelines.step(run.id, 'gate')
    expect(outputData).toMatchObject({ approved: true, by: expect.stringContaining('owner@') })
    expect(server.received.at(-1)?.path).toContain('/by?owner@')
  })

  test('can precede any step, which starts after it', async () => {
    const run = await pipelines.run([ask('asked-first', { approval: {} })])
    await pipelines.untilStep(run.id, 'asked-first', 'PENDING_APPROVAL')
    expect(receivedBy('/asked-first')).toEqual([])
    await pipelines.approve(run.id, 'asked-first')
    expect(await pipelines.untilOver(run.id)).toMatchObject({ status: 'SUCCESS' })
    expect(receivedBy('/asked-first')).toHaveLength(1)
  })

  test('that is rejected ends the run', async () => {
    const run = await pipelines.run([gate('gate'), ask('never')])
    await pipelines.reject(run.id, 'gate', 'Not on a Friday.')
    expect(await pipelines.untilOver(run.id)).toMatchObject({
      status: 'ERROR',
      error: { description: 'Not on a Friday.', metadata: { stepCode: failures.stepRejected.code } },
    })
    expect(await statusesOf(run.id)).toEqual(['ERROR', 'SKIPPED'])
  })

  test.each([
    ['reject', 'ERROR'],
    ['approve', 'SUCCESS'],
  ])('that times out is a %s', async (on_timeout, status) => {
    const run = await pipelines.run([gate('gate', { approval: { timeout_seconds: 1, on_timeout } })])
    expect(await pipelines.untilOver(run.id)).toMatchObject({ status })
    const { error } = await pipelines.step(run.id, 'gate')
    expect(error?.code).toBe(status === 'ERROR' ? failures.approvalExpired.code : undefined)
  })

  test('is limited to the approvers, by email or by role', async () => {
    const [developer, admin] = [await organization.member('DEVELOPER'), await organization.member('ADMIN')]
    const approve = (client: typeof developer, { id }: PipelineStepExecution) =>
      client.ask('POST', `/pipeline-step-executions/${id}/approve`)
    const run = await pipelines.run([gate('admins', { approval: { approvers: ['ADMIN'] } })])
    const step = await pipelines.untilStep(run.id, 'admins', 'PENDING_APPROVAL')
    expect(await approve(developer, step)).toMatchObject({
      status: 403,
      body: { code: apiErrors.notApprover.code, details: [{ items: ['ADMIN'] }] },
    })
    expect(await approve(admin, step)).toMatchObject({ status: 200 })

    const { email } = await developer.done<{ email: string }>('GET', '/auth/whoami')
    const other = await pipelines.run([gate('her', { approval: { approvers: [email] } })])
    const hers = await pipelines.untilStep(other.id, 'her', 'PENDING_APPROVAL')
    expect(await approve(admin, hers)).toMatchObject({ status: 403 })
    expect(await approve(developer, hers)).toMatchObject({ status: 200 })
    for (const { id } of [run, other]) expect(await pipelines.untilOver(id)).toMatchObject({ status: 'SUCCESS' })
  })

  test('is rejected after its expiry, even before that is detected', async () => {
    const run = await pipelines.run([gate('gate')])
    const { id } = await pipelines.untilStep(run.id, 'gate', 'PENDING_APPROVAL')
    const at = new Date(Date.now() - 1000).toISOString()
    const approval = { requestedAt: at, expiresAt: at, onTimeout: 'reject' } as const
    await world.db.update(pipelineStepExecutions).set({ approval }).where(eq(pipelineStepExecutions.id, id))
    expect(await pipelines.client.ask('POST', `/pipeline-step-executions/${id}/approve`)).toMatchObject({
      status: 422,
      body: { code: apiErrors.notAwaitingApproval.code },
    })
  })
})

describe('a cancel', () => {
  test('ends a run that waits for a user at once', async () => {
    const run = await pipelines.run([gate('gate'), ask('after')])
    await pipelines.until(run.id, 'PENDING_APPROVAL')
    expect(await pipelines.cancel(run.id)).toMatchObject({
      status: 'CANCELLED',
      completedAt: expect.any(String),
      error: { code: failures.runCancelled.code, message: expect.stringContaining('owner@') },
    })
    expect(await statusesOf(run.id)).toEqual(['CANCELLED', 'CANCELLED'])
    expect(await pipelines.client.ask('POST', `/pipeline-runs/${run.id}/cancel`)).toMatchObject({ status: 422 })
  })

  test('of a run with an outstanding request ends it after the response', async () => {
    const { promise: isAnswered, resolve: letAnswer } = Promise.withResolvers<void>()
    answer = async () => {
      await isAnswered
      return {}
    }
    const run = await pipelines.run([ask('slow'), ask('after')])
    await eventually(
      'the request',
      async () => receivedBy('/slow').length,
      (count) => count === 1,
    )
    expect(await pipelines.cancel(run.id)).toMatchObject({ status: 'IN_PROGRESS' })
    expect(await statusesOf(run.id)).toEqual(['IN_PROGRESS', 'CANCELLED'])
    letAnswer()
    expect(await pipelines.untilOver(run.id)).toMatchObject({ status: 'CANCELLED' })
    expect(await statusesOf(run.id)).toEqual(['SUCCESS', 'CANCELLED'])
  })
})

describe('another pipeline as a step', () => {
  test('receives the inputs, and its result is that of the step', async () => {
    const child = await pipelines.create({
      inputs: [{ id: 'path', type: 'string', required: true }],
      steps: [ask('call', { with: { url: `${server.url}/<< inputs.path >>` } })],
    })
    const run = await pipelines.run([
      { id: 'child', type: 'pipeline', with: { pipeline: child.givenId, inputs: { path: 'from-the-child' } } },
    ])
    expect(await pipelines.untilOver(run.id)).toMatchObject({ status: 'SUCCESS' })
    const { outputData } = await pipelines.step(run.id, 'child')
    expect(outputData).toMatchObject({ status: 'SUCCESS', run_id: expect.stringMatching(/^run_/) })
    expect(await pipelines.get(String(outputData?.run_id))).toMatchObject({
      pipelineId: child.id,
      triggerSource: 'PIPELINE',
      triggeredBy: run.triggeredBy,
    })
    expect(receivedBy('/from-the-child')).toHaveLength(1)
  })

  test('that is rejected fails the step with the reason', async () => {
    const child = await pipelines.create({
      inputs: [{ id: 'path', type: 'string', required: true }],
      steps: [gate('gate')],
    })
    const run = await pipelines.run([{ id: 'child', type: 'pipeline', with: { pipeline_id: child.id } }])
    await pipelines.untilOver(run.id)
    expect(await pipelines.step(run.id, 'child')).toMatchObject({
      status: 'ERROR',
      error: { code: apiErrors.runInputInvalid.code },
    })
  })

  test('that fails fails the step with its error', async () => {
    const child = await pipelines.create({ steps: [gate('gate')] })
    const run = await pipelines.run([{ id: 'child', type: 'pipeline', with: { pipeline_id: child.id } }])
    const childId = await childOf(run.id)
    await pipelines.reject(childId, 'gate', 'No.')
    expect(await pipelines.untilOver(run.id)).toMatchObject({
      status: 'ERROR',
      error: { metadata: { stepCode: failures.stepFailed.code } },
    })
  })

  test('is cancelled with it', async () => {
    const child = await pipelines.create({ steps: [gate('gate')] })
    const run = await pipelines.run([{ id: 'child', type: 'pipeline', with: { pipeline_id: child.id } }])
    const childId = await childOf(run.id)
    await pipelines.until(childId, 'PENDING_APPROVAL')
    expect(await pipelines.cancel(run.id)).toMatchObject({ status: 'IN_PROGRESS' })
    expect(await pipelines.untilOver(run.id)).toMatchObject({ status: 'CANCELLED' })
    expect(await pipelines.get(childId)).toMatchObject({ status: 'CANCELLED' })
  })

  const childOf = async (runId: string): Promise<string> => {
    const { statusDetail } = await eventually(
      'the child run',
      () => pipelines.step(runId, 'child'),
      (step) => step.statusDetail?.pipelineRunId !== undefined,
    )
    return String(statusDetail?.pipelineRunId)
  }
})

describe('in a concurrency group', () => {
  const grouped = (policy: string, group: string) =>
    pipelines.create({ concurrency: { group, policy }, steps: [gate('gate')] })

  test('runs take turns in the order of their requests', async () => {
    const { id } = await grouped('queue', 'web')
    const [first, second, third] = [await pipelines.start(id), await pipelines.start(id), await pipelines.start(id)]
    await pipelines.until(first.id, 'PENDING_APPROVAL')
    const held = await eventually(
      'the second to wait',
      () => pipelines.step(second.id, 'gate'),
      ({ queueReason }) => queueReason === 'CONCURRENCY',
    )
    expect(held.queueMetadata).toEqual({ group: 'web', heldByRunId: first.id })
    await pipelines.approve(first.id, 'gate')
    await pipelines.until(second.id, 'PENDING_APPROVAL')
    expect(await pipelines.get(third.id)).toMatchObject({ status: 'QUEUED' })
    await pipelines.cancel(second.id)
    await pipelines.approve(third.id, 'gate')
    expect(await pipelines.untilOver(third.id)).toMatchObject({ status: 'SUCCESS' })
  })

  test('only one run is in progress, even with many concurrent requests and cancellations', async () => {
    const { id } = await pipelines.create({ concurrency: { group: 'crowd' }, steps: [ask('crowd')] })
    let inProgress = 0
    let most = 0
    answer = async () => {
      most = Math.max(most, ++inProgress)
      await new Promise((resolve) => setImmediate(resolve))
      inProgress -= 1
      return {}
    }
    const runs = await Promise.all(Array.from({ length: 10 }, () => pipelines.start(id)))
    const cancelled = runs.slice(7)
    await Promise.all(cancelled.map((run) => pipelines.client.ask('POST', `/pipeline-runs/${run.id}/cancel`)))
    const over = await Promise.all(runs.map((run) => pipelines.untilOver(run.id)))
    expect(over.slice(0, 7).map(({ status }) => status)).toEqual(Array(7).fill('SUCCESS'))
    expect(most).toBe(1)
  })

  test('a new run cancels those before it', async () => {
    const { id } = await grouped('cancel_previous', 'api')
    const first = await pipelines.start(id)
    await pipelines.until(first.id, 'PENDING_APPROVAL')
    const second = await pipelines.start(id)
    expect(await pipelines.untilOver(first.id)).toMatchObject({
      status: 'CANCELLED',
      error: { code: failures.runSuperseded.code, metadata: { pipelineRunId: second.id } },
    })
    await pipelines.until(second.id, 'PENDING_APPROVAL')
  })

  test('a new run is rejected while one is in progress', async () => {
    const { id } = await grouped('reject', 'jobs')
    const first = await pipelines.start(id)
    expect(await pipelines.client.ask('POST', '/pipeline-runs', { data: { pipelineId: id } })).toMatchObject({
      status: apiErrors.runGroupBusy.status,
      body: { code: apiErrors.runGroupBusy.code, metadata: { pipelineRunId: first.id } },
    })
    await pipelines.cancel(first.id)
    await pipelines.start(id)
  })
})

test('the reconciler finds a run whose message was lost', async () => {
  const run = await pipelines.run([gate('gate')])
  await pipelines.until(run.id, 'PENDING_APPROVAL')
  const { id } = await pipelines.step(run.id, 'gate')
  // Approves as the API does, without a message to the engine; the wake-up is due.
  const approved = { status: 'QUEUED', queueReason: 'APPROVED', decision: { approved: true, by: 'x', at: '' } } as const
  await world.db.update(pipelineStepExecutions).set(approved).where(eq(pipelineStepExecutions.id, id))
  await world.db
    .update(pipelineRuns)
    .set({ wakeAt: new Date(0) })
    .where(eq(pipelineRuns.id, run.id))
  expect(await pipelines.untilOver(run.id)).toMatchObject({ status: 'SUCCESS' })
})
