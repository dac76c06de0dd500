import { apiErrors, type Principal, type RoleGrant, type ServiceAccount, type Team } from '@sluice/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Client } from '../../testing/client.ts'
import { seedOrganization, startHttpWorld } from '../../testing/http-world.ts'
import { addMember } from '../../testing/members.ts'
import { createOneOfEverything } from '../../testing/resources.ts'

let world: Awaited<ReturnType<typeof startHttpWorld>>
beforeAll(async () => {
  world = await startHttpWorld()
})
afterAll(() => world?.[Symbol.asyncDispose]())

/** Creates an organization with a project, its owner, and a member with read access. */
async function organization() {
  const { organizationId, key } = await seedOrganization(world.db)
  const owner = new Client(world.url, key)
  const project = await owner.done<{ id: string }>('POST', '/projects', { data: { givenId: 'shop', name: 'Shop' } })
  const environment = await owner.done<{ id: string }>('POST', '/environments', {
    data: { projectId: project.id, givenId: 'production', name: 'Production' },
  })
  const member = new Client(world.url, await addMember(world.db, organizationId, 'VIEWER'))
  const { membershipId } = await member.done<Principal>('GET', '/auth/whoami')
  return { owner, member, membershipId, projectId: project.id, environmentId: environment.id }
}

const mayPipeline = async (client: Client, projectId: string) => {
  const { permissions } = await client.done<{ permissions: string[] }>('GET', `/permissions?projectId=${projectId}`)
  return permissions.includes('pipelines:write')
}

test('a role can be granted, listed, read and revoked, with immediate effect', async () => {
  const { owner, member, membershipId, projectId, environmentId } = await organization()
  const create = { data: { projectId, givenId: 'release', name: 'Release' } }
  expect((await member.ask('POST', '/pipelines', create)).status).toBe(403)

  const data = { principalId: membershipId, projectId, role: 'DEVELOPER' }
  const grant = await owner.done<RoleGrant>('POST', '/role-grants', { data })
  expect(grant).toMatchObject({ ...data, principalType: 'MEMBERSHIP', id: expect.stringMatching(/^grt_/) })
  expect((await member.ask('POST', '/pipelines', create)).status).toBe(201)
  expect(await owner.ask('POST', '/role-grants', { data })).toMatchObject({
    status: 409,
    body: { code: apiErrors.roleGrantTaken.code },
  })
  const there = await owner.done<RoleGrant>('POST', '/role-grants', { data: { ...data, environmentId } })
  expect(await owner.done('GET', `/role-grants?principalId=${membershipId}`)).toEqual([there, grant])
  expect(await owner.done('GET', `/role-grants?environmentId=${environmentId}`)).toEqual([there])
  expect(await owner.done('GET', `/role-grants/${grant.id}`)).toEqual(grant)

  expect((await owner.ask('DELETE', `/role-grants/${grant.id}`)).status).toBe(204)
  const another = { data: { ...create.data, givenId: 'another' } }
  expect((await member.ask('POST', '/pipelines', another)).status).toBe(403)
  expect(await owner.ask('GET', `/role-grants/${grant.id}`)).toMatchObject({
    status: 404,
    body: { code: apiErrors.roleGrantNotFound.code },
  })
})

test('roles of a team apply to its current members', async () => {
  const { owner, member, membershipId, projectId } = await organization()
  const team = await owner.done<Team>('POST', '/teams', { data: { name: 'web' } })
  await owner.done('POST', '/role-grants', { data: { principalId: team.id, projectId, role: 'DEVELOPER' } })
  expect(await mayPipeline(member, projectId)).toBe(false)
  const data = { teamId: team.id, memberId: membershipId }
  const { id } = await owner.done<{ id: string }>('POST', '/team-members', { data })
  expect(await mayPipeline(member, projectId)).toBe(true)
  await owner.ask('DELETE', `/team-members/${id}`)
  expect(await mayPipeline(member, projectId)).toBe(false)
  await owner.done('POST', '/team-members', { data })
  await owner.ask('DELETE', `/teams/${team.id}`)
  expect(await mayPipeline(member, projectId)).toBe(false)
})

test('service accounts can have roles as well', async () => {
  const { owner, projectId } = await organization()
  const account = await owner.done<ServiceAccount>('POST', '/service-accounts', {
    data: { name: 'ci', role: 'VIEWER' },
  })
  await owner.done('POST', '/role-grants', { data: { principalId: account.id, projectId, role: 'DEVELOPER' } })
  const { token } = await owner.done<{ token: string }>('POST', '/api-keys', {
    data: { name: 'ci', serviceAccountId: account.id },
  })
  expect(await mayPipeline(new Client(world.url, token), projectId)).toBe(true)
})

test('a user who leaves loses every role, and has none after returning', async () => {
  const { owner, membershipId, projectId } = await organization()
  await owner.done('POST', '/role-grants', { data: { principalId: membershipId, projectId, role: 'ADMIN' } })
  await owner.ask('DELETE', `/memberships/${membershipId}`)
  expect(await owner.done('GET', '/role-grants')).toEqual([])
})

test('records and members of another organization cannot be in a grant', async () => {
  const { owner, membershipId, projectId } = await organization()
  const theirs = await createOneOfEverything(world.db)
  const foreign = (resource: string) => theirs.byPath[resource] ?? ''
  const own = { principalId: membershipId, projectId, role: 'DEPLOYER' }
  for (const wrong of [
    { projectId: foreign('projects') },
    { environmentId: foreign('environments') },
    { principalId: foreign('memberships') },
    { principalId: foreign('service-accounts') },
    { principalId: foreign('teams') },
  ]) {
    expect(await owner.ask('POST', '/role-grants', { data: { ...own, ...wrong } })).toMatchObject({
      status: 422,
      body: { code: apiErrors.referenceNotFound.code },
    })
  }
})

test('an environment can only be granted with its own project', async () => {
  const { owner, membershipId, environmentId } = await organization()
  const other = await owner.done<{ id: string }>('POST', '/projects', { data: { givenId: 'blog', name: 'Blog' } })
  const data = { principalId: membershipId, projectId: other.id, environmentId, role: 'DEPLOYER' }
  expect((await owner.ask('POST', '/role-grants', { data })).status).toBe(422)
  const asked = await owner.ask('GET', `/permissions?projectId=${other.id}&environmentId=${environmentId}`)
  expect(asked).toMatchObject({ status: 404, body: { code: apiErrors.environmentNotFound.code } })
})

test('an owner sees which scopes are restricted, and is not affected by that', async () => {
  const { owner, projectId, environmentId } = await organization()
  await owner.done('PATCH', `/projects/${projectId}`, { data: { restricted: true } })
  expect(await owner.done('GET', `/permissions?projectId=${projectId}`)).toMatchObject({
    restricted: true,
    permissions: expect.arrayContaining(['projects:write']),
  })
  expect(await owner.done('GET', `/permissions?environmentId=${environmentId}`)).toMatchObject({
    projectId,
    environmentId,
    restricted: false,
  })
})
