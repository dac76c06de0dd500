import { apiErrors, type GrantedRole } from '@sluice/contract'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { moduleInstances } from '../../modules/module-instances/tables.ts'
import { eq } from '../../platform/db/drizzle.ts'
import { Client } from '../../testing/client.ts'
import { startHttpWorld } from '../../testing/http-world.ts'
import { addMember } from '../../testing/members.ts'
import { createOneOfEverything, type OneOfEverything } from '../../testing/resources.ts'

let world: Awaited<ReturnType<typeof startHttpWorld>>
let everything: OneOfEverything
let owner: Client
beforeAll(async () => {
  world = await startHttpWorld()
})
afterAll(() => world?.[Symbol.asyncDispose]())
beforeEach(async () => {
  everything = await createOneOfEverything(world.db)
  owner = new Client(world.url, await addMember(world.db, everything.organizationId, 'OWNER'))
})

const idOf = (resource: string): string => everything.byPath[resource] ?? ''
const members = { data: { visibility: 'MEMBERS' } }
const hideProject = () => owner.done('PATCH', `/projects/${idOf('projects')}`, members)
const hideEnvironment = () => owner.done('PATCH', `/environments/${idOf('environments')}`, members)

async function createMember(): Promise<Client & { principalId: string }> {
  const client = new Client(world.url, await addMember(world.db, everything.organizationId, 'DEVELOPER'))
  const { membershipId: principalId } = await client.done<{ membershipId: string }>('GET', '/auth/whoami')
  return Object.assign(client, { principalId })
}
const give = (principalId: string, role: GrantedRole, environmentId?: string) => {
  const place = { projectId: idOf('projects'), ...(environmentId !== undefined && { environmentId }) }
  return owner.done<{ id: string }>('POST', '/role-grants', { data: { principalId, role, ...place } })
}

/** Returns the status of the response for each record. */
const statuses = (client: Client, ...resources: string[]) =>
  Promise.all(resources.map(async (one) => (await client.ask('GET', `/${one}/${idOf(one)}`)).status))

test('a members-only project is visible at once to users with a role in it, owners and admins, and to no one else', async () => {
  const [member, admin] = [
    await createMember(),
    new Client(world.url, await addMember(world.db, everything.organizationId, 'ADMIN')),
  ]
  const inProject = [
    'projects',
    'pipelines',
    'environments',
    'module-instances',
    'deployments',
    'pipeline-runs',
    'stacks',
  ]
  expect(await statuses(member, ...inProject)).toEqual([200, 200, 200, 200, 200, 200, 200])
  await hideProject()
  expect(await statuses(member, ...inProject)).toEqual([404, 404, 404, 404, 404, 404, 404])
  expect(await statuses(admin, ...inProject)).toEqual([200, 200, 200, 200, 200, 200, 200])
  const { id } = await give(member.principalId, 'VIEWER')
  expect(await statuses(member, ...inProject)).toEqual([200, 200, 200, 200, 200, 200, 200])
  await owner.ask('DELETE', `/role-grants/${id}`)
  expect(await statuses(member, ...inProject)).toEqual([404, 404, 404, 404, 404, 404, 404])
  await owner.done('PATCH', `/projects/${idOf('projects')}`, { data: { visibility: 'ORGANIZATION' } })
  expect(await statuses(member, 'projects')).toEqual([200])
})

test('lists and their cached counts exclude it', async () => {
  const member = await createMember()
  await hideProject()
  const lists = ['projects', 'environments', 'module-instances', 'deployments', 'pipeline-runs', 'pipelines', 'stacks']
  for (const list of [...lists, 'pipeline-step-executions', 'infrastructure-events', 'role-grants']) {
    const { body } = await member.ask('GET', `/${list}?limit=100`)
    expect([list, body]).toMatchObject([list, { data: [], meta: { totalCount: 0 } }])
    const seen = await owner.ask('GET', `/${list}?limit=100`)
    expect([list, seen.body]).toMatchObject([list, { meta: { totalCount: 1 } }])
  }
})

test('a role on one environment makes the project and that environment visible', async () => {
  const member = await createMember()
  await hideProject()
  const data = { projectId: idOf('projects'), givenId: 'staging', name: 'Staging' }
  const staging = await owner.done<{ id: string }>('POST', '/environments', { data })
  await give(member.principalId, 'DEPLOYER', staging.id)
  expect(await statuses(member, 'projects', 'pipelines', 'environments', 'deployments')).toEqual([200, 200, 404, 404])
  expect(await member.done('GET', '/environments')).toMatchObject([{ id: staging.id }])
})

test('other members of the project see neither the content nor the infrastructure of a members-only environment', async () => {
  const member = await createMember()
  await give(member.principalId, 'DEVELOPER')
  const ofInstance = { stackId: idOf('stacks') }
  await world.db
    .update(moduleInstances)
    .set(ofInstance)
    .where(eq(moduleInstances.id, idOf('module-instances')))
  await hideEnvironment()
  const hidden = ['environments', 'module-instances', 'deployments', 'stacks', 'stack-workspaces', 'iac-plans']
  expect(await statuses(member, ...hidden)).toEqual([404, 404, 404, 404, 404, 404])
  expect(await statuses(member, 'projects', 'pipelines', 'pipeline-runs')).toEqual([200, 200, 200])
  const place = `/permissions?environmentId=${idOf('environments')}`
  expect(await member.ask('GET', place)).toMatchObject({ status: 404 })
  await give(member.principalId, 'APPROVER', idOf('environments'))
  expect(await statuses(member, ...hidden)).toEqual([200, 200, 200, 200, 200, 200])
})

test('records that a user cannot see prevent the user from deleting a project, and are not listed', async () => {
  const member = await createMember()
  const data = { givenId: 'own', name: 'Own' }
  const { id: projectId } = await owner.done<{ id: string }>('POST', '/projects', { data })
  const secret = { projectId, givenId: 'secret', name: 'Secret', visibility: 'MEMBERS' }
  const environment = await owner.done<{ id: string }>('POST', '/environments', { data: secret })
  const role = { principalId: member.principalId, projectId, role: 'ADMIN' }
  await owner.done('POST', '/role-grants', { data: role })
  const answer = await member.ask('DELETE', `/projects/${projectId}`)
  expect(answer).toMatchObject({ status: 409, body: { code: apiErrors.projectInUse.code } })
  expect(JSON.stringify(answer.body)).toContain('something that you do not see')
  expect(JSON.stringify(answer.body)).not.toContain('secret')
  expect((await owner.ask('GET', `/environments/${environment.id}`)).status).toBe(200)
})
