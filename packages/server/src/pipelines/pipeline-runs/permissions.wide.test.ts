import { apiErrors, failures, type Principal, type Role } from '@sluice/contract'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { Client } from '../../testing/client.ts'
import { eventually } from '../../testing/eventually.ts'
import { addMember } from '../../testing/members.ts'
import { Pipelines } from '../../testing/pipelines.ts'
import { sharedWorld, type TestOrganization, type World } from '../../testing/world.ts'

let world: World
let organization: TestOrganization
beforeAll(async () => {
  world = await sharedWorld()
})

let environmentId: string
let moduleInstanceId: string
/** Each test has its own organization with a restricted production environment. */
beforeEach(async () => {
  organization = await world.organization()
  moduleInstanceId = (await organization.service()).moduleInstanceId
  const instance = await organization.client.done<{ environmentId: string }>(
    'GET',
    `/module-instances/${moduleInstanceId}`,
  )
  environmentId = instance.environmentId
  await organization.client.done('PATCH', `/environments/${environmentId}`, { data: { restricted: true } })
})

type Member = { client: Client; pipelines: Pipelines; membershipId: string }

async function member(role: Role): Promise<Member> {
  const client = new Client(world.url, await addMember(world.db, organization.id, role))
  const { membershipId } = await client.done<Principal>('GET', '/auth/whoami')
  return { client, pipelines: new Pipelines(client, organization.pipelines.projectId), membershipId }
}

const give = ({ membershipId: principalId }: Member, role: string, where: object = { environmentId }) =>
  organization.client.done('POST', '/role-grants', {
    data: { principalId, role, projectId: organization.pipelines.projectId, ...where },
  })

const deploy = () => ({
  id: 'deploy',
  type: 'deploy',
  with: { module_instance_id: moduleInstanceId, inputs: { image_ref: 'shop/app:2' } },
})
const ask = { id: 'ask', type: 'approval' }
const beyond = { error: { code: failures.runBeyondRights.code, metadata: { permission: 'deployments:write' } } }

test('a run deploys only where its starter has the permission', async () => {
  const developer = await member('DEVELOPER')
  const refused = await developer.pipelines.run([deploy()])
  expect(await developer.pipelines.untilOver(refused.id)).toMatchObject({ status: 'ERROR' })
  expect(await developer.pipelines.step(refused.id, 'deploy')).toMatchObject(beyond)
  expect(await organization.client.done('GET', `/deployments?pipelineRunId=${refused.id}`)).toEqual([])

  await give(developer, 'DEPLOYER')
  const allowed = await developer.pipelines.run([deploy()])
  expect(await developer.pipelines.untilOver(allowed.id)).toMatchObject({ status: 'SUCCESS' })
})

test('a run continues after the approval of a user who can approve there, regardless of its starter', async () => {
  const developer = await member('DEVELOPER')
  const approver = await member('VIEWER')
  const run = await developer.pipelines.run([ask, deploy()])
  const { id } = await developer.pipelines.untilStep(run.id, 'ask', 'PENDING_APPROVAL')
  const approve = (client: Client) => client.ask('POST', `/pipeline-step-executions/${id}/approve`)
  for (const { client } of [developer, approver]) {
    expect(await approve(client)).toMatchObject({ status: 403, body: { code: apiErrors.forbidden.code } })
  }
  await give(approver, 'APPROVER')
  expect((await approve(approver.client)).status).toBe(200)
  expect(await developer.pipelines.untilOver(run.id)).toMatchObject({ status: 'SUCCESS' })
})

test('a user who cannot see the scope of an approval cannot decide and learns nothing about it', async () => {
  const developer = await member('DEVELOPER')
  const data = { restricted: false, visibility: 'MEMBERS' }
  await organization.client.done('PATCH', `/environments/${environmentId}`, { data })
  const run = await organization.pipelines.run([ask, deploy()])
  const { id } = await organization.pipelines.untilStep(run.id, 'ask', 'PENDING_APPROVAL')
  const may = async () =>
    (await developer.client.done<{ permissions: string[] }>('GET', `/permissions?stepExecutionId=${id}`)).permissions
  expect(await may()).toEqual([])
  const answer = await developer.client.ask('POST', `/pipeline-step-executions/${id}/approve`)
  expect(answer).toMatchObject({ status: 403, body: { code: apiErrors.forbidden.code } })
  expect(JSON.stringify(answer.body)).not.toContain(environmentId)
  await give(developer, 'APPROVER')
  expect(await may()).toContain('approvals:write')
  expect((await developer.client.ask('POST', `/pipeline-step-executions/${id}/approve`)).status).toBe(200)

  const own = await developer.pipelines.run([deploy()])
  expect(await developer.pipelines.untilOver(own.id)).toMatchObject({ status: 'SUCCESS' })
})

test('the permissions on a run and a waiting step can be requested by their ids', async () => {
  const developer = await member('DEVELOPER')
  const run = await developer.pipelines.run([ask, deploy()])
  const { id } = await developer.pipelines.untilStep(run.id, 'ask', 'PENDING_APPROVAL')
  const may = (query: string) =>
    developer.client.done<{ permissions: string[]; restricted: boolean }>('GET', `/permissions?${query}`)
  const ofRun = await may(`pipelineRunId=${run.id}`)
  expect(ofRun).toMatchObject({ restricted: false })
  expect(ofRun.permissions).toEqual(expect.arrayContaining(['pipeline-runs:write', 'approvals:write']))
  const ofStep = await may(`stepExecutionId=${id}`)
  expect(ofStep).toMatchObject({ restricted: true })
  expect(ofStep.permissions).not.toContain('approvals:write')
  for (const query of ['pipelineRunId=run_1', 'stepExecutionId=step_1']) {
    expect((await developer.client.ask('GET', `/permissions?${query}`)).status).toBe(404)
  }
})

test('an approval requires the permission for the scopes that it lets continue, up to the next approval', async () => {
  const developer = await member('DEVELOPER')
  const steps = [ask, { id: 'wait', type: 'approval' }, deploy()]
  const run = await developer.pipelines.run(steps)
  await developer.pipelines.approve(run.id, 'ask')
  const { id } = await developer.pipelines.untilStep(run.id, 'wait', 'PENDING_APPROVAL')
  expect((await developer.client.ask('POST', `/pipeline-step-executions/${id}/approve`)).status).toBe(403)
})

test('a child pipeline acts for the same principal', async () => {
  const inner = await organization.pipelines.create({ steps: [deploy()] })
  const developer = await member('DEVELOPER')
  const run = await developer.pipelines.run([{ id: 'other', type: 'pipeline', with: { pipeline_id: inner.id } }])
  expect(await developer.pipelines.untilOver(run.id)).toMatchObject({ status: 'ERROR' })
  expect(await organization.client.done('GET', '/deployments')).toEqual([])
})

test('a run by a trigger acts for the author of its version', async () => {
  const developer = await member('DEVELOPER')
  const first = await organization.pipelines.create({ steps: [{ ...ask, when: false }] })
  const triggers = [{ type: 'pipeline', pipeline_id: first.id }]
  await developer.pipelines.create({ triggers, steps: [deploy()] })
  const ofOwner = await organization.pipelines.create({ triggers, steps: [deploy()] })
  await organization.pipelines.start(first.id)
  const runOf = async (pipelineId: string) => {
    const [run] = await organization.client.done<{ id: string }[]>('GET', `/pipeline-runs?pipelineId=${pipelineId}`)
    return run
  }
  const own = await eventually('the run of the owner to start', () => runOf(ofOwner.id), Boolean)
  expect(await organization.pipelines.untilOver(own?.id ?? '')).toMatchObject({ status: 'SUCCESS' })
  const deployed = await organization.client.done<{ pipelineRunId: string }[]>('GET', '/deployments')
  expect(deployed.map(({ pipelineRunId }) => pipelineRunId)).toEqual([own?.id])
})

test('a role in one project grants nothing in another', async () => {
  const elsewhere = await organization.client.done<{ id: string }>('POST', '/projects', {
    data: { givenId: 'elsewhere', name: 'Elsewhere' },
  })
  await organization.client.done('PATCH', `/environments/${environmentId}`, { data: { restricted: false } })
  const guest = await member('VIEWER')
  await give(guest, 'DEVELOPER', { projectId: elsewhere.id })
  const pipelines = new Pipelines(guest.client, elsewhere.id)
  const run = await pipelines.run([deploy()])
  expect(await pipelines.untilOver(run.id)).toMatchObject({ status: 'ERROR' })
  expect(await pipelines.step(run.id, 'deploy')).toMatchObject(beyond)
})
