import type { Decision, PipelineStepExecution, PipelineStepExecutionStatus } from '@sluice/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { everyCase } from '../../../../../testing/every-case.ts'
import { auditEvents } from '../../identity/audit-events/tables.ts'
import { eq } from '../../platform/db/drizzle.ts'
import { newId } from '../../platform/ids.ts'
import { apiErrorOf } from '../../testing/api-errors.ts'
import { Client } from '../../testing/client.ts'
import { startHttpWorld } from '../../testing/http-world.ts'
import { addMember } from '../../testing/members.ts'
import { createOneOfEverything } from '../../testing/resources.ts'
import { pipelineStepExecutions } from '../pipelines/tables.ts'

let world: Awaited<ReturnType<typeof startHttpWorld>>
let organizationId: string
let pipelineRunId: string
let client: Client

beforeAll(async () => {
  world = await startHttpWorld()
  const made = await createOneOfEverything(world.db)
  organizationId = made.organizationId
  pipelineRunId = made.byPath['pipeline-runs'] ?? ''
  client = new Client(world.url, await addMember(world.db, organizationId, 'DEVELOPER'))
})
afterAll(() => world?.[Symbol.asyncDispose]())

/** Inserts a step in a run that is not scheduled any further. */
async function step(
  status: PipelineStepExecutionStatus,
  more: Partial<typeof pipelineStepExecutions.$inferInsert> = {},
) {
  const id = newId('step')
  const named = { stepId: id, stepName: 'Gate', stepType: 'approval', engineWorkflowId: id }
  const queue = { queueReason: 'READY', queueMetadata: { place: 1 } } as const
  await world.db
    .insert(pipelineStepExecutions)
    .values({ id, organizationId, pipelineRunId, status, ...named, ...queue, ...more })
  return `/pipeline-step-executions/${id}`
}

test('an approved step is queued again with the name of the approver', async () => {
  const path = await step('PENDING_APPROVAL', { statusDetail: { plan: '1 to add' } })
  const decision = { approved: true, by: expect.stringContaining('developer-'), at: expect.stringMatching(/Z$/) }
  const approved = await client.done('POST', `${path}/approve`)
  expect(approved).toMatchObject({
    status: 'QUEUED',
    queueReason: 'APPROVED',
    queueMetadata: {},
    statusDetail: { plan: '1 to add', decision },
  })
  expect(await client.done('GET', path)).toEqual(approved)
})

test('an approval can have a comment, which the step returns', async () => {
  const comment = 'Looked at with Ada.'
  const approved = await client.done('POST', `${await step('PENDING_APPROVAL')}/approve`, { data: { comment } })
  const by = { actorType: 'MEMBERSHIP', actorId: expect.stringMatching(/^mem_/), channel: 'API' }
  expect(approved).toMatchObject({ status: 'QUEUED', statusDetail: { decision: { approved: true, comment, ...by } } })
})

test.each([
  ['a comment', { data: { comment: 'Not on a Friday.' } }, 'Not on a Friday.'],
  ['an empty body', {}, undefined],
  ['no body', undefined, undefined],
])('a step is rejected with %s', async (_what, body, comment) => {
  const path = await step('PENDING_APPROVAL')
  const rejected = await client.done<PipelineStepExecution>('POST', `${path}/reject`, body)
  expect(rejected).toMatchObject({
    status: 'ERROR',
    completedAt: expect.any(String),
    error: { code: 'Sluice:PipelineRuns:STEP_REJECTED', message: expect.stringContaining('turned the step down') },
    statusDetail: { decision: { approved: false } },
  })
  expect(rejected.error?.description).toBe(comment)
  expect((rejected.statusDetail as { decision: { comment?: string } }).decision.comment).toBe(comment)
})

test(
  'a step that does not wait for approval accepts no decision',
  everyCase(['QUEUED', 'IN_PROGRESS', 'SUCCESS', 'ERROR', 'CANCELLED', 'SKIPPED'] as const, async (status) => {
    const path = await step(status)
    for (const action of ['approve', 'reject']) {
      expect(await client.ask('POST', `${path}/${action}`)).toMatchObject(apiErrorOf('notAwaitingApproval'))
    }
    expect(await client.done('GET', path)).toMatchObject({ status })
  }),
)

test('the decisions of a run have the approver, step, time and comment', async () => {
  const path = await step('PENDING_APPROVAL')
  const approved = await client.done<PipelineStepExecution>('POST', `${path}/approve`, {
    data: { comment: 'Reviewed.' },
  })
  const { body } = await client.ask('GET', `/pipeline-runs/${pipelineRunId}?include=decisions`)
  const { decisions } = (body as { included: { decisions: Decision[] } }).included
  expect(decisions.filter((one) => one.step?.id === approved.id)).toMatchObject([
    {
      kind: 'APPROVED',
      reason: 'Reviewed.',
      createdAt: expect.any(String),
      actor: { name: expect.stringMatching(/\S/) },
      step: { name: approved.stepName },
    },
  ])
})

test('only one of two concurrent decisions takes effect', async () => {
  const path = await step('PENDING_APPROVAL')
  const actions = ['approve', 'reject', 'approve', 'reject']
  const answers = await Promise.all(actions.map((action) => client.ask('POST', `${path}/${action}`)))
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 422, 422, 422])
})

test('a decision accepts no body, empty data or a comment, and nothing else', async () => {
  for (const body of [undefined, {}, { data: {} }]) {
    const awaiting = await step('PENDING_APPROVAL')
    expect(await client.ask('POST', `${awaiting}/approve`, body)).toMatchObject({ status: 200 })
  }
  const path = await step('PENDING_APPROVAL')
  const more = { data: { comment: 'x', reason: 'y' } }
  for (const action of ['approve', 'reject']) {
    expect(await client.ask('POST', `${path}/${action}`, more)).toMatchObject(apiErrorOf('requestInvalid'))
  }
})

test('an unknown step can neither be read nor approved', async () => {
  const missing = apiErrorOf('pipelineStepExecutionNotFound')
  expect(await client.ask('GET', '/pipeline-step-executions/step_x')).toMatchObject(missing)
  expect(await client.ask('POST', '/pipeline-step-executions/step_x/approve')).toMatchObject(missing)
  expect(await client.ask('POST', '/pipeline-step-executions/step_x/reject')).toMatchObject(missing)
})

test('steps that wait for approval can be listed', async () => {
  const path = await step('PENDING_APPROVAL')
  const query = `pipelineRunId=${pipelineRunId}&status=PENDING_APPROVAL&limit=100`
  const waiting = await client.done<PipelineStepExecution[]>('GET', `/pipeline-step-executions?${query}`)
  expect(waiting.map(({ id }) => id)).toContain(path.split('/').at(-1))
  expect(new Set(waiting.map(({ status }) => status))).toEqual(new Set(['PENDING_APPROVAL']))
})

test('a step has all its properties', async () => {
  const logs = { cloudAccountId: 'ca_1', logGroupName: 'g', logStreamPrefix: 'p', region: 'eu-west-1' }
  const data = { inputData: { a: 1 }, outputData: { b: null }, startedAt: new Date(), completedAt: new Date() }
  const path = await step('ERROR', { ...data, logs, error: { code: 'Sluice:Test:FAILED', message: 'no' } })
  expect(await client.done('GET', path)).toMatchObject({
    inputData: { a: 1 },
    outputData: { b: null },
    startedAt: data.startedAt.toISOString(),
    completedAt: data.completedAt.toISOString(),
    logs,
    error: { code: 'Sluice:Test:FAILED', message: 'no' },
  })
})

test.each(['approve', 'reject'])('the audit log has a decision to %s with its comment', async (decision) => {
  const path = await step('PENDING_APPROVAL')
  await client.done('POST', `${path}/${decision}`, { data: { comment: 'so' } })
  const resourceId = path.split('/').at(-1) ?? ''
  const events = await world.db.select().from(auditEvents).where(eq(auditEvents.resourceId, resourceId))
  expect(events).toMatchObject([{ action: `pipeline-step-executions.${decision}`, details: { comment: 'so' } }])
})
