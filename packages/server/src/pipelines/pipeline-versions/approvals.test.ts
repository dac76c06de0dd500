import type { Inbox, PipelineVersion, PipelineVersionApproval, Policy } from '@sluice/contract'
import { beforeAll, expect, test } from 'vitest'
import type { Client } from '../../testing/client.ts'
import { eventually } from '../../testing/eventually.ts'
import { sharedWorld, type TestOrganization, type World } from '../../testing/world.ts'

let world: World
beforeAll(async () => {
  world = await sharedWorld()
})

const config = { steps: [{ id: 'ask', type: 'approval' }] }

const membershipOf = async (client: Client) =>
  (await client.done<{ membershipId: string }>('GET', '/auth/whoami')).membershipId

/** Creates an organization whose pipelines need approval by the team Security, with a pipeline and a waiting run. */
async function asking(approval: Partial<NonNullable<Policy['approval']>> = {}) {
  const org = await world.organization()
  const [ann, bob] = [await org.member('DEVELOPER'), await org.member('DEVELOPER')]
  const { id: teamId } = await org.client.done<{ id: string }>('POST', '/teams', { data: { name: 'Security' } })
  for (const client of [ann, org.client]) {
    const memberId = await membershipOf(client)
    await org.client.done('POST', '/team-members', { data: { teamId, memberId } })
  }
  const policy = await org.client.done<Policy>('POST', '/policies', {
    data: {
      name: 'Seen by Security',
      guards: 'PIPELINE_VERSIONS',
      expression: 'false',
      message: 'Security looks.',
      effect: 'REQUIRE_APPROVAL',
      approval: { requiredApprovals: 1, teamIds: [teamId], excludeStarter: false, ...approval },
    },
  })
  const pipeline = await org.pipelines.create(config)
  const [version] = await org.client.done<PipelineVersion[]>('GET', `/pipeline-versions?pipelineId=${pipeline.id}`)
  if (!version) throw new Error('the pipeline has no version')
  const run = await org.pipelines.start(pipeline.id)
  return { org, ann, bob, policy, pipeline, version, run }
}

const approve = (client: Client, id: string, data: object = {}) =>
  client.ask('POST', `/pipeline-versions/${id}/approve`, { data })

async function approvalOf(client: Client, id: string): Promise<PipelineVersionApproval> {
  const { body } = await client.ask('GET', `/pipeline-versions/${id}?include=approval`)
  return (body as { included: { approval: PipelineVersionApproval } }).included.approval
}

const codeOf = ({ status, body }: { status: number; body: unknown }) => [status, (body as { code?: string }).code]

const waits = (org: TestOrganization, runId: string) =>
  eventually(
    'the step to wait for approval of its version',
    () => org.pipelines.step(runId, 'ask'),
    ({ queueReason }) => queueReason === 'VERSION_NOT_APPROVED',
  )

test('runs of a version with a policy wait until a member of the team who is not the author has approved it', async () => {
  const { org, ann, bob, policy, pipeline, version, run } = await asking()
  expect(await waits(org, run.id)).toMatchObject({
    queueMetadata: {
      pipelineVersionId: version.id,
      version: 1,
      asks: '0 of 1 by the policy “Seen by Security”, of Security but not of who wrote it',
    },
  })
  expect(await org.pipelines.get(run.id)).toMatchObject({ status: 'QUEUED' })
  expect(codeOf(await approve(org.client, version.id))).toEqual([403, 'Sluice:ApprovalRules:NOT_COUNTED'])
  expect(codeOf(await approve(bob, version.id))).toEqual([403, 'Sluice:ApprovalRules:NOT_COUNTED'])
  expect((await approvalOf(org.client, version.id)).caller).toMatchObject({
    canDecide: false,
    reason: 'You wrote it, and the policy asks others.',
  })
  expect(await approvalOf(ann, version.id)).toMatchObject({
    isPending: true,
    requirements: [{ ruleId: policy.id, given: 0, teams: [{ name: 'Security' }], excludeAuthor: true }],
    caller: { canDecide: true, hasApproved: false },
  })

  const inboxOf = async (client: Client) => (await client.done<Inbox>('GET', '/inbox')).waiting
  expect(await inboxOf(ann)).toMatchObject([
    { type: 'VERSION_APPROVAL', id: version.id, pipelineRunId: run.id, title: expect.stringContaining('version 1') },
  ])
  expect(await inboxOf(bob)).toEqual([])
  expect((await approve(ann, version.id, { comment: 'Looks right.' })).status).toBe(200)
  expect((await inboxOf(ann)).map(({ type }) => type)).not.toContain('VERSION_APPROVAL')
  await org.pipelines.untilStep(run.id, 'ask', 'PENDING_APPROVAL')
  expect(codeOf(await approve(ann, version.id))).toEqual([422, 'Sluice:ApprovalRules:ALREADY_APPROVED'])
  const again = await org.pipelines.start(pipeline.id)
  await org.pipelines.untilStep(again.id, 'ask', 'PENDING_APPROVAL')
  expect(await approvalOf(bob, version.id)).toMatchObject({
    isPending: false,
    approvals: [{ actor: { type: 'MEMBERSHIP' }, comment: 'Looks right.' }],
  })
  const { body } = await bob.ask('GET', `/pipeline-versions?pipelineId=${pipeline.id}&include=approval`)
  expect(body).toMatchObject({ included: { approval: { [version.id]: { isPending: false } } } })
  const [event] = await org.client.done<object[]>('GET', `/audit-events?resourceId=${version.id}`)
  expect(event).toMatchObject({
    action: 'pipeline-versions.approve',
    projectId: org.pipelines.projectId,
    details: { comment: 'Looks right.', version: 1, policies: [{ id: policy.id, version: 1 }] },
  })
})

test('an approval counts for one version: the next requires its own, even if the policy is deleted', async () => {
  const { org, ann, policy, pipeline, version } = await asking()
  expect((await approve(ann, version.id)).status).toBe(200)
  const next = await org.client.done<PipelineVersion>('POST', '/pipeline-versions', {
    data: { pipelineId: pipeline.id, config },
  })
  await org.client.ask('DELETE', `/policies/${policy.id}`)
  const run = await org.pipelines.start(pipeline.id)
  await waits(org, run.id)
  expect((await approve(ann, next.id)).status).toBe(200)
  await org.pipelines.untilStep(run.id, 'ask', 'PENDING_APPROVAL')
  const { id } = await org.pipelines.create(config)
  const [free] = await org.client.done<PipelineVersion[]>('GET', `/pipeline-versions?pipelineId=${id}`)
  expect(codeOf(await approve(ann, free?.id ?? ''))).toEqual([422, 'Sluice:PipelineVersions:NO_PENDING_APPROVAL'])
})

test('after a withdrawn approval no further run starts, and waiting ones can be cancelled', async () => {
  const { org, ann, pipeline, version, run } = await asking()
  const withdraw = () => ann.ask('POST', `/pipeline-versions/${version.id}/withdraw-approval`)
  expect(codeOf(await withdraw())).toEqual([422, 'Sluice:ApprovalRules:NOT_APPROVED'])
  await approve(ann, version.id)
  await org.pipelines.untilStep(run.id, 'ask', 'PENDING_APPROVAL')
  expect((await withdraw()).status).toBe(200)
  const again = await org.pipelines.start(pipeline.id)
  await waits(org, again.id)
  await org.pipelines.cancel(again.id)
  expect(await org.pipelines.untilOver(again.id)).toMatchObject({ status: 'CANCELLED' })
  expect(await org.pipelines.step(run.id, 'ask')).toMatchObject({ status: 'PENDING_APPROVAL' })
})

test('all waiting runs start when the required number of members has approved', async () => {
  const { org, ann, bob, pipeline, version, run } = await asking({ requiredApprovals: 2, teamIds: [] })
  const runs = [run, await org.pipelines.start(pipeline.id)]
  await approve(ann, version.id)
  for (const { id } of runs) expect((await waits(org, id)).queueMetadata.asks).toContain('of 2 by the policy')
  await approve(bob, version.id)
  for (const { id } of runs) await org.pipelines.untilStep(id, 'ask', 'PENDING_APPROVAL')
})
