import type { ApprovalRule, PipelineStepExecution, StepApproval } from '@sluice/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { eq } from '../../platform/db/drizzle.ts'
import type { Client } from '../../testing/client.ts'
import { startWorld, type TestOrganization, type World } from '../../testing/world.ts'
import { stepApprovals } from './tables.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world?.[Symbol.asyncDispose]())

type Rules = Partial<Omit<ApprovalRule, 'id'>>

const ask = { id: 'ask', type: 'approval' }

/** An organization whose steps a rule guards, people who may approve there, and a run whose step asks. */
async function asking(of: Rules = {}, step: object = ask) {
  const org = await world.organization()
  const data = { name: 'Production', guards: ['STEPS'], ...of }
  const rule = await org.client.done<ApprovalRule>('POST', '/approval-rules', { data })
  const [ann, bob] = [await org.member('DEVELOPER'), await org.member('DEVELOPER')]
  const run = await org.pipelines.run([step])
  const { id } = await org.pipelines.untilStep(run.id, 'ask', 'PENDING_APPROVAL')
  return { org, rule, ann, bob, run, id }
}

const approve = (client: Client, id: string, body?: object) =>
  client.ask('POST', `/pipeline-step-executions/${id}/approve`, body)

const change = (org: TestOrganization, { id }: ApprovalRule, data: Rules) =>
  org.client.done('PATCH', `/approval-rules/${id}`, { data })

async function approvalOf(client: Client, id: string): Promise<StepApproval> {
  const { body } = await client.ask('GET', `/pipeline-step-executions/${id}?include=approval`)
  return (body as { included: { approval: StepApproval } }).included.approval
}

const codeOf = ({ status, body }: { status: number; body: unknown }) => [status, (body as { code?: string }).code]

test('a step goes on once as many have approved as the rule asks for, and tells who', async () => {
  const { org, rule, ann, bob, run, id } = await asking({ requiredApprovals: 2 })
  const first = await approve(ann, id, { data: { comment: 'Looks right.' } })
  expect(first).toMatchObject({ status: 200, body: { data: { status: 'PENDING_APPROVAL' } } })
  expect(codeOf(await approve(ann, id))).toEqual([422, 'Sluice:ApprovalRules:ALREADY_APPROVED'])
  expect(await approvalOf(bob, id)).toMatchObject({
    isAwaited: true,
    demands: [{ ruleId: rule.id, given: 1, requiredApprovals: 2, isMet: false }],
    approvals: [{ actor: { type: 'MEMBERSHIP' }, comment: 'Looks right.' }],
    caller: { mayDecide: true, hasApproved: false },
  })
  expect(await approve(bob, id)).toMatchObject({ body: { data: { status: 'QUEUED', queueReason: 'APPROVED' } } })
  expect(await org.pipelines.untilOver(run.id)).toMatchObject({ status: 'SUCCESS' })
  const audited = await org.client.done<{ action: string }[]>('GET', `/audit-events?resourceId=${id}`)
  expect(audited.map(({ action }) => action)).toEqual([
    'pipeline-step-executions.approve',
    'pipeline-step-executions.approve',
  ])
})

test('who started the run counts for nothing where the rule says so, and neither approves nor rejects', async () => {
  const { org, ann, id } = await asking({ notStarter: true })
  for (const verdict of ['approve', 'reject']) {
    const answer = await org.client.ask('POST', `/pipeline-step-executions/${id}/${verdict}`)
    expect(codeOf(answer)).toEqual([403, 'Sluice:ApprovalRules:NOT_COUNTED'])
  }
  expect((await approvalOf(org.client, id)).caller).toMatchObject({
    mayDecide: false,
    reason: expect.stringMatching(/You started it/),
  })
  const viewer = await org.member('VIEWER')
  expect((await approvalOf(viewer, id)).caller).toMatchObject({
    mayDecide: false,
    reason: expect.stringMatching(/Your roles/),
  })
  expect((await ann.ask('POST', `/pipeline-step-executions/${id}/reject`)).status).toBe(200)
})

test('a rule that guards deployments alone, or another place, asks nothing of a step', async () => {
  const { org, rule, ann, id } = await asking({ requiredApprovals: 3 })
  const { moduleInstanceId } = await org.service()
  const elsewhere = { name: 'Elsewhere', guards: ['STEPS'], requiredApprovals: 3, moduleInstanceId }
  await org.client.done('POST', '/approval-rules', { data: elsewhere })
  await change(org, rule, { guards: ['DEPLOYMENTS'] })
  expect(await approvalOf(ann, id)).toMatchObject({ isAwaited: false, demands: [], caller: { mayDecide: true } })
  expect(await approve(ann, id)).toMatchObject({ status: 200, body: { data: { status: 'QUEUED' } } })
})

test('a rule is about what a decision lets go on', async () => {
  const { org, rule } = await asking()
  const { moduleInstanceId } = await org.service()
  await org.client.ask('DELETE', `/approval-rules/${rule.id}`)
  const own = { name: 'Service', guards: ['STEPS'], requiredApprovals: 2, moduleInstanceId }
  await org.client.done('POST', '/approval-rules', { data: own })
  const release = { module_instance_id: moduleInstanceId, inputs: { image_ref: 'shop/app:2' } }
  const { id: runId } = await org.pipelines.run([ask, { id: 'deploy', type: 'deploy', with: release }])
  const { id } = await org.pipelines.untilStep(runId, 'ask', 'PENDING_APPROVAL')
  expect(await approvalOf(org.client, id)).toMatchObject({ isAwaited: true, demands: [{ name: 'Service', given: 0 }] })
})

test('what waits is judged by the rules as they are: a looser one lets it go on', async () => {
  const { org, rule, ann, run, id } = await asking({ requiredApprovals: 3 })
  await approve(ann, id)
  await change(org, rule, { requiredApprovals: 2 })
  expect((await approvalOf(ann, id)).demands).toMatchObject([{ given: 1, requiredApprovals: 2 }])
  await change(org, rule, { requiredApprovals: 1 })
  expect(await org.pipelines.untilOver(run.id)).toMatchObject({ status: 'SUCCESS' })
})

test('a looser rule and the approval that it makes enough, at once, leave nothing waiting', async () => {
  for (let round = 0; round < 3; round += 1) {
    const { org, rule, ann, run, id } = await asking({ requiredApprovals: 2 })
    await Promise.all([approve(ann, id), change(org, rule, { requiredApprovals: 1 })])
    expect(await org.pipelines.untilOver(run.id)).toMatchObject({ status: 'SUCCESS' })
  }
})

test('an approval of other plans than there are counts for nothing, and can be given anew', async () => {
  const { ann, bob, id } = await asking({ requiredApprovals: 2 })
  await approve(ann, id)
  await world.db.update(stepApprovals).set({ plans: 'iap_before@1' }).where(eq(stepApprovals.stepExecutionId, id))
  expect(await approvalOf(ann, id)).toMatchObject({ approvals: [], demands: [{ given: 0 }] })
  expect(await approve(bob, id)).toMatchObject({ body: { data: { status: 'PENDING_APPROVAL' } } })
  expect(await approve(ann, id)).toMatchObject({ body: { data: { status: 'QUEUED' } } })
})

test('a rule that only warns notes what it would have asked for', async () => {
  const { org, rule, ann, id } = await asking({ mode: 'WARN', requiredApprovals: 2 })
  expect(await approve(ann, id)).toMatchObject({ body: { data: { status: 'QUEUED' } } })
  const audited = await org.client.done<object[]>('GET', `/audit-events?resourceId=${rule.id}`)
  expect(audited).toMatchObject([
    { action: 'approval-rules.warn', details: { stepExecutionId: id, requiredApprovals: 2, given: 1 } },
    { action: 'approval-rules.create' },
  ])
})

test('a step waits no longer than the rule says, whatever its config makes of silence', async () => {
  const approval = { timeout_seconds: 86_400, on_timeout: 'approve' }
  const { id, ann } = await asking({ expiresAfterMinutes: 5 }, { ...ask, approval })
  const step = await ann.done<PipelineStepExecution>('GET', `/pipeline-step-executions/${id}`)
  expect(step.statusDetail?.approval).toMatchObject({ onTimeout: 'reject' })
  const { requestedAt = '', expiresAt = '' } = Object(step.statusDetail?.approval)
  expect(Date.parse(expiresAt) - Date.parse(requestedAt)).toBe(300_000)
})
