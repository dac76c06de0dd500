import type { ApprovalRule, PipelineStepExecution, StepApproval } from '@sluice/contract'
import { beforeAll, expect, test } from 'vitest'
import { eq } from '../../platform/db/drizzle.ts'
import type { Client } from '../../testing/client.ts'
import { eventually } from '../../testing/eventually.ts'
import { sharedWorld, type TestOrganization, type World } from '../../testing/world.ts'
import { pipelineRuns, pipelineStepExecutions } from '../pipelines/tables.ts'
import { requiredApprovalsOfStep } from './required.ts'
import { stepApprovals } from './tables.ts'

let world: World
beforeAll(async () => {
  world = await sharedWorld()
})

type Rules = Partial<Omit<ApprovalRule, 'id'>>

const ask = { id: 'ask', type: 'approval' }

/** Creates an organization with an approval rule for steps, users who can approve, and a run whose step waits. */
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

test('a step continues once the required number of users has approved, and lists them', async () => {
  const { org, rule, ann, bob, run, id } = await asking({ requiredApprovals: 2 })
  const first = await approve(ann, id, { data: { comment: 'Looks right.' } })
  expect(first).toMatchObject({ status: 200, body: { data: { status: 'PENDING_APPROVAL' } } })
  expect(codeOf(await approve(ann, id))).toEqual([422, 'Sluice:ApprovalRules:ALREADY_APPROVED'])
  expect(await approvalOf(bob, id)).toMatchObject({
    isPending: true,
    requirements: [{ ruleId: rule.id, given: 1, requiredApprovals: 2, isMet: false }],
    approvals: [{ actor: { type: 'MEMBERSHIP' }, comment: 'Looks right.' }],
    caller: { canDecide: true, hasApproved: false },
  })
  expect(await approve(bob, id)).toMatchObject({ body: { data: { status: 'QUEUED', queueReason: 'APPROVED' } } })
  expect(await org.pipelines.untilOver(run.id)).toMatchObject({ status: 'SUCCESS' })
  const audited = await org.client.done<{ action: string }[]>('GET', `/audit-events?resourceId=${id}`)
  expect(audited.map(({ action }) => action)).toEqual([
    'pipeline-step-executions.approve',
    'pipeline-step-executions.approve',
  ])
})

test('the starter of the run can neither approve nor reject if the rule excludes them', async () => {
  const { org, ann, id } = await asking({ excludeStarter: true })
  for (const verdict of ['approve', 'reject']) {
    const answer = await org.client.ask('POST', `/pipeline-step-executions/${id}/${verdict}`)
    expect(codeOf(answer)).toEqual([403, 'Sluice:ApprovalRules:NOT_COUNTED'])
  }
  expect((await approvalOf(org.client, id)).caller).toMatchObject({
    canDecide: false,
    reason: expect.stringMatching(/You started it/),
  })
  const viewer = await org.member('VIEWER')
  expect((await approvalOf(viewer, id)).caller).toMatchObject({
    canDecide: false,
    reason: expect.stringMatching(/Your roles/),
  })
  expect((await ann.ask('POST', `/pipeline-step-executions/${id}/reject`)).status).toBe(200)
})

test('a rule for deployments or for another scope does not apply to a step', async () => {
  const { org, rule, ann, id } = await asking({ requiredApprovals: 3 })
  const { moduleInstanceId } = await org.service()
  const elsewhere = { name: 'Elsewhere', guards: ['STEPS'], requiredApprovals: 3, moduleInstanceId }
  await org.client.done('POST', '/approval-rules', { data: elsewhere })
  await change(org, rule, { guards: ['DEPLOYMENTS'] })
  expect(await approvalOf(ann, id)).toMatchObject({ isPending: false, requirements: [], caller: { canDecide: true } })
  expect(await approve(ann, id)).toMatchObject({ status: 200, body: { data: { status: 'QUEUED' } } })
})

test('a rule applies to the steps that an approval lets continue', async () => {
  const { org, rule } = await asking()
  const { moduleInstanceId } = await org.service()
  await org.client.ask('DELETE', `/approval-rules/${rule.id}`)
  const own = { name: 'Service', guards: ['STEPS'], requiredApprovals: 2, moduleInstanceId }
  await org.client.done('POST', '/approval-rules', { data: own })
  const release = { module_instance_id: moduleInstanceId, inputs: { image_ref: 'shop/app:2' } }
  const { id: runId } = await org.pipelines.run([ask, { id: 'deploy', type: 'deploy', with: release }])
  const { id } = await org.pipelines.untilStep(runId, 'ask', 'PENDING_APPROVAL')
  expect(await approvalOf(org.client, id)).toMatchObject({
    isPending: true,
    requirements: [{ name: 'Service', given: 0 }],
  })
})

test('waiting steps are evaluated by the current rules: a looser one lets them continue', async () => {
  const { org, rule, ann, run, id } = await asking({ requiredApprovals: 3 })
  await approve(ann, id)
  await change(org, rule, { requiredApprovals: 2 })
  expect((await approvalOf(ann, id)).requirements).toMatchObject([{ given: 1, requiredApprovals: 2 }])
  await change(org, rule, { requiredApprovals: 1 })
  expect(await org.pipelines.untilOver(run.id)).toMatchObject({ status: 'SUCCESS' })
})

/** Creates a freeze of infrastructure that is active now. */
const freezeOf = (org: TestOrganization) =>
  org.client.done<{ id: string }>('POST', '/freezes', {
    data: {
      name: 'Quiet',
      reason: 'Nobody is there.',
      stops: ['APPLIES'],
      window: { cron: '0 0 * * *', minutes: 1440, timeZone: 'UTC' },
    },
  })

/** Starts a run that destroys its own stack. */
async function destroyingIn(org: TestOrganization) {
  const data = { projectId: org.pipelines.projectId, givenId: 'network', name: 'Network' }
  const { givenId } = await org.client.done<{ givenId: string }>('POST', '/stacks', { data })
  const source = { files: { 'main.tf': '' } }
  return org.pipelines.run([{ id: 'destroy', type: 'iac:destroy', with: { stack: givenId, source } }])
}

test('an approval is not sufficient for a rule that became stricter before the step started', async () => {
  const org = await world.organization()
  const [ann, bob] = [await org.member('DEVELOPER'), await org.member('DEVELOPER')]
  await freezeOf(org)
  const data = { name: 'Destroys', guards: ['DESTROYS'], requiredApprovals: 1 }
  const rule = await org.client.done<ApprovalRule>('POST', '/approval-rules', { data })
  const run = await destroyingIn(org)
  const { id } = await org.pipelines.untilStep(run.id, 'destroy', 'PENDING_APPROVAL')
  await approve(ann, id)
  await until(org, run.id, 'the freeze', ({ queueReason, status }) => status === 'QUEUED' && queueReason === 'FROZEN')
  await change(org, rule, { requiredApprovals: 2 })
  await until(org, run.id, 'a second approval', ({ status }) => status === 'PENDING_APPROVAL')
  expect((await approvalOf(bob, id)).requirements).toMatchObject([{ given: 1, requiredApprovals: 2, isMet: false }])
  await approve(bob, id)
  await until(org, run.id, 'the freeze', ({ queueReason, status }) => status === 'QUEUED' && queueReason === 'FROZEN')
})

test('a step without approvals requires them by a rule that is created before it starts', async () => {
  const org = await world.organization()
  await freezeOf(org)
  const run = await destroyingIn(org)
  await until(org, run.id, 'the freeze', ({ queueReason }) => queueReason === 'FROZEN')
  await org.client.done('POST', '/approval-rules', { data: { name: 'Destroys', guards: ['DESTROYS'] } })
  await until(org, run.id, 'approval', ({ status }) => status === 'PENDING_APPROVAL')
})

test('a retry requests the approval of a guarded step again, regardless of earlier approvals', async () => {
  const broken = { id: 'call', type: 'http', with: { url: 'http://127.0.0.1:9/' } }
  const org = await world.organization()
  const data = { name: 'Production', guards: ['STEPS'], excludeStarter: true }
  const rule = await org.client.done<ApprovalRule>('POST', '/approval-rules', { data })
  const [ann, bob] = [await org.member('DEVELOPER'), await org.member('DEVELOPER')]
  const run = await org.pipelines.run([ask, broken])
  const { id } = await org.pipelines.untilStep(run.id, 'ask', 'PENDING_APPROVAL')
  await approve(ann, id)
  await org.pipelines.untilOver(run.id)

  // Ann started the retry, so that her earlier approval does not count.
  const { id: again } = await ann.done<{ id: string }>('POST', `/pipeline-runs/${run.id}/retry`, { data: {} })
  const asked = await org.pipelines.untilStep(again, 'ask', 'PENDING_APPROVAL', 'SUCCESS')
  expect(asked.status, 'a retry took an approval over: look at guardedApprovals').toBe('PENDING_APPROVAL')
  expect(codeOf(await approve(ann, asked.id))).toEqual([403, 'Sluice:ApprovalRules:NOT_COUNTED'])
  await approve(bob, asked.id)
  await org.pipelines.untilOver(again)

  await org.client.ask('DELETE', `/approval-rules/${rule.id}`)
  const { id: last } = await ann.done<{ id: string }>('POST', `/pipeline-runs/${again}/retry`, { data: {} })
  expect(await org.pipelines.step(last, 'ask')).toMatchObject({ status: 'SUCCESS' })
})

const until = (
  org: TestOrganization,
  runId: string,
  what: string,
  isSo: (step: PipelineStepExecution) => boolean,
): Promise<PipelineStepExecution> =>
  eventually(`the step to wait for ${what}`, () => org.pipelines.step(runId, 'destroy'), isSo)

test('a looser rule and a concurrent sufficient approval leave no step waiting', async () => {
  for (let round = 0; round < 3; round += 1) {
    const { org, rule, ann, run, id } = await asking({ requiredApprovals: 2 })
    await Promise.all([approve(ann, id), change(org, rule, { requiredApprovals: 1 })])
    expect(await org.pipelines.untilOver(run.id)).toMatchObject({ status: 'SUCCESS' })
  }
})

test('an approval of other plans does not count, and can be given again', async () => {
  const { ann, bob, id } = await asking({ requiredApprovals: 2 })
  await approve(ann, id)
  await world.db.update(stepApprovals).set({ plans: 'iap_before@1' }).where(eq(stepApprovals.stepExecutionId, id))
  expect(await approvalOf(ann, id)).toMatchObject({ approvals: [], requirements: [{ given: 0 }] })
  expect(await approve(bob, id)).toMatchObject({ body: { data: { status: 'PENDING_APPROVAL' } } })
  expect(await approve(ann, id)).toMatchObject({ body: { data: { status: 'QUEUED' } } })
})

test('an approval can be withdrawn while the step waits for others, and only by its author', async () => {
  const { org, ann, bob, id } = await asking({ requiredApprovals: 2 })
  const withdraw = (client: Client) => client.ask('POST', `/pipeline-step-executions/${id}/withdraw-approval`)
  await approve(ann, id, { data: { comment: 'Looks right.' } })
  expect(codeOf(await withdraw(bob))).toEqual([422, 'Sluice:ApprovalRules:NOT_APPROVED'])
  expect(await withdraw(ann)).toMatchObject({ status: 200, body: { data: { status: 'PENDING_APPROVAL' } } })
  expect(await approvalOf(ann, id)).toMatchObject({ approvals: [], caller: { hasApproved: false } })
  const audited = await org.client.done<object[]>('GET', `/audit-events?resourceId=${id}`)
  expect(audited[0]).toMatchObject({
    action: 'pipeline-step-executions.withdraw',
    before: { comment: 'Looks right.' },
  })
  await approve(bob, id)
  await approve(ann, id)
  expect(codeOf(await withdraw(ann))).toEqual([422, 'Sluice:PipelineStepExecutions:NOT_AWAITING_APPROVAL'])
})

/** Starts a run whose only step destroys a stack, and requires no approval by itself. */
async function destroying(of: Rules) {
  const org = await world.organization()
  const data = { name: 'Production', guards: ['DESTROYS'], ...of }
  const rule = await org.client.done<ApprovalRule>('POST', '/approval-rules', { data })
  const named = { givenId: 'network', name: 'Network', projectId: org.pipelines.projectId }
  await org.client.done('POST', '/stacks', { data: named })
  const source = { files: { 'main.tf': '' } }
  const run = await org.pipelines.run([{ id: 'ask', type: 'iac:destroy', with: { stack: 'network', source } }])
  return { org, rule, run }
}

test('a rule for destructive changes requires approval of a step, until the rule is deleted', async () => {
  const { org, rule, run } = await destroying({ requiredApprovals: 2 })
  const { id } = await org.pipelines.untilStep(run.id, 'ask', 'PENDING_APPROVAL')
  const ann = await org.member('DEVELOPER')
  expect(await approve(ann, id)).toMatchObject({ body: { data: { status: 'PENDING_APPROVAL' } } })
  await change(org, rule, { guards: ['APPLIES'] })
  expect(await org.pipelines.untilOver(run.id)).toMatchObject({ status: 'SUCCESS' })
})

test('such a step continues without any decision when its rule is deleted', async () => {
  const { org, rule, run } = await destroying({})
  await org.pipelines.untilStep(run.id, 'ask', 'PENDING_APPROVAL')
  await org.client.ask('DELETE', `/approval-rules/${rule.id}`)
  const step = await org.pipelines.untilStep(run.id, 'ask', 'SUCCESS')
  expect(step.statusDetail).toMatchObject({ decision: { by: 'Sluice' } })
})

test('a rule in the mode WARN requires no approval, and records one warning', async () => {
  const { org, rule, run } = await destroying({ mode: 'WARN' })
  const { id } = await org.pipelines.untilStep(run.id, 'ask', 'SUCCESS')
  const audited = await org.client.done<object[]>('GET', `/audit-events?resourceId=${rule.id}`)
  expect(audited).toMatchObject([
    { action: 'approval-rules.warn', details: { stepExecutionId: id } },
    { action: 'approval-rules.create' },
  ])
})

test("the commit's author cannot approve if the rule excludes them", async () => {
  const { org, ann, run, id } = await asking({ excludeAuthor: true })
  const { email } = await ann.done<{ email: string }>('GET', '/auth/whoami')
  const trigger = { kind: 'push' as const, authors: [email.toUpperCase()] }
  await world.db.update(pipelineRuns).set({ trigger }).where(eq(pipelineRuns.id, run.id))
  expect(codeOf(await approve(ann, id))).toEqual([403, 'Sluice:ApprovalRules:NOT_COUNTED'])
  expect((await approvalOf(ann, id)).caller.reason).toBe('You wrote the commit, and the rule asks others.')
  expect(await approve(org.client, id)).toMatchObject({ body: { data: { status: 'QUEUED' } } })
})

test('a user can substitute for another one until the other ends it', async () => {
  const org = await world.organization()
  const [ann, bob] = [await org.member('DEVELOPER'), await org.member('DEVELOPER')]
  const idOf = async (client: Client) =>
    (await client.done<{ membershipId: string }>('GET', '/auth/whoami')).membershipId
  const { id: teamId } = await org.client.done<{ id: string }>('POST', '/teams', { data: { name: 'Ops' } })
  await org.client.done('POST', '/team-members', { data: { teamId, memberId: await idOf(ann) } })
  const data = { name: 'Production', guards: ['STEPS'], teamIds: [teamId] }
  await org.client.done('POST', '/approval-rules', { data })
  const run = await org.pipelines.run([ask])
  const { id } = await org.pipelines.untilStep(run.id, 'ask', 'PENDING_APPROVAL')
  expect(codeOf(await approve(bob, id))).toEqual([403, 'Sluice:ApprovalRules:NOT_COUNTED'])

  const delegateId = await idOf(bob)
  const name = (of: object) => ann.ask('POST', '/approval-delegations', { data: { delegateId, ...of } })
  const [soon, later] = [Date.now() + 3_600_000, Date.now() + 7_200_000].map((ms) => new Date(ms).toISOString())
  expect(codeOf(await name({ until: '2020-01-01T00:00:00.000Z' }))).toEqual([
    422,
    'Sluice:ApprovalDelegations:IMPOSSIBLE',
  ])
  expect(codeOf(await name({ until: '2031-13-45T25:00:00Z' }))).toEqual([400, 'Sluice:Request:INVALID'])
  expect((await name({ from: soon, until: later })).status).toBe(201)
  expect((await approvalOf(bob, id)).caller.canDecide).toBe(false)
  const made = (await name({ until: later, reason: 'I am away.' })).body as { data: { id: string } }
  expect((await approvalOf(bob, id)).caller.canDecide).toBe(true)
  // Only a user who can change rules can end the delegations of others.
  expect((await bob.ask('DELETE', `/approval-delegations/${made.data.id}`)).status).toBe(404)
  const whose = [{ id: await idOf(ann), name: expect.stringContaining('@') }]
  expect(await approve(bob, id)).toMatchObject({
    body: { data: { status: 'QUEUED', statusDetail: { decision: { onBehalfOf: whose } } } },
  })
  const [approval] = await org.client.done<object[]>('GET', `/audit-events?resourceId=${id}`)
  expect(approval).toMatchObject({ details: { onBehalfOf: whose } })
  expect((await org.client.ask('DELETE', `/approval-delegations/${made.data.id}`)).status).toBe(204)
  const audited = await org.client.done<{ action: string }[]>('GET', `/audit-events?resourceId=${made.data.id}`)
  expect(audited.map(({ action }) => action)).toEqual(['approval-delegations.delete', 'approval-delegations.create'])
})

test('a rule that only warns records the approvals that it would have required', async () => {
  const { org, rule, ann, id } = await asking({ mode: 'WARN', requiredApprovals: 2 })
  expect(await approve(ann, id)).toMatchObject({ body: { data: { status: 'QUEUED' } } })
  const audited = await org.client.done<object[]>('GET', `/audit-events?resourceId=${rule.id}`)
  expect(audited).toMatchObject([
    { action: 'approval-rules.warn', details: { stepExecutionId: id, requiredApprovals: 2, given: 1 } },
    { action: 'approval-rules.create' },
  ])
})

test('a step waits no longer than the rule says, and its timeout does not approve it', async () => {
  const approval = { timeout_seconds: 86_400, on_timeout: 'approve' }
  const { id, ann } = await asking({ expiresAfterMinutes: 5 }, { ...ask, approval })
  const step = await ann.done<PipelineStepExecution>('GET', `/pipeline-step-executions/${id}`)
  expect(step.statusDetail?.approval).toMatchObject({ onTimeout: 'reject' })
  const { requestedAt = '', expiresAt = '' } = Object(step.statusDetail?.approval)
  expect(Date.parse(expiresAt) - Date.parse(requestedAt)).toBe(300_000)
})

test('a step that was deleted meanwhile requires nothing', async () => {
  const { run, id } = await asking()
  const [step] = await world.db.select().from(pipelineStepExecutions).where(eq(pipelineStepExecutions.id, id))
  const asked = () => (step ? requiredApprovalsOfStep(world.db, step, { now: new Date() }) : undefined)
  expect(await asked()).toMatchObject({ demands: [{ isMet: false }] })
  await world.db.delete(pipelineRuns).where(eq(pipelineRuns.id, run.id))
  expect(await asked()).toBeUndefined()
})
