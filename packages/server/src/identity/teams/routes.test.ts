import { apiErrors, type Principal, type ServiceAccount, type Team, type TeamMember } from '@sluice/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Client } from '../../testing/client.ts'
import { seedOrganization, startHttpWorld } from '../../testing/http-world.ts'
import { addMember } from '../../testing/members.ts'

let world: Awaited<ReturnType<typeof startHttpWorld>>
let client: Client
let organizationId: string
beforeAll(async () => {
  world = await startHttpWorld()
  const owner = await seedOrganization(world.db)
  client = new Client(world.url, owner.key)
  organizationId = owner.organizationId
})
afterAll(() => world?.[Symbol.asyncDispose]())

const create = (name: string) => client.done<Team>('POST', '/teams', { data: { name } })

const put = (teamId: string, memberId: string) =>
  client.done<TeamMember>('POST', '/team-members', { data: { teamId, memberId } })

async function createMember(): Promise<Principal> {
  const key = await addMember(world.db, organizationId, 'VIEWER')
  return new Client(world.url, key).done<Principal>('GET', '/auth/whoami')
}

test('a team is created, listed, read, renamed and deleted', async () => {
  const team = await create('payments')
  expect(team).toMatchObject({ id: expect.stringMatching(/^team_/), organizationId, name: 'payments' })
  const path = `/teams/${team.id}`
  expect(await client.done('GET', path)).toEqual(team)
  expect(await client.done('GET', '/teams')).toEqual([team])
  expect(await client.done('PATCH', path, { data: { name: 'billing' } })).toMatchObject({ name: 'billing' })
  expect((await client.ask('DELETE', path)).status).toBe(204)
  for (const method of ['GET', 'PATCH', 'DELETE']) {
    const answer = await client.ask(method, path, method === 'PATCH' ? { data: {} } : undefined)
    expect(answer).toMatchObject({ status: 404, body: { code: apiErrors.teamNotFound.code } })
  }
})

test('team names are unique', async () => {
  await create('one')
  const { id } = await create('two')
  const taken = { status: 409, body: { code: apiErrors.teamNameTaken.code } }
  expect(await client.ask('POST', '/teams', { data: { name: 'one' } })).toMatchObject(taken)
  expect(await client.ask('PATCH', `/teams/${id}`, { data: { name: 'one' } })).toMatchObject(taken)
})

test('members and service accounts can be in several teams, once in each', async () => {
  const [web, data] = [await create('web'), await create('data')]
  const person = await createMember()
  const account = await client.done<ServiceAccount>('POST', '/service-accounts', {
    data: { name: 'ci', role: 'VIEWER' },
  })
  const member = await put(web.id, person.membershipId)
  expect(member).toMatchObject({ teamId: web.id, memberId: person.membershipId, memberType: 'MEMBERSHIP' })
  expect(await put(web.id, account.id)).toMatchObject({ memberId: account.id, memberType: 'SERVICE_ACCOUNT' })
  const second = await put(data.id, person.membershipId)
  expect(await client.done('GET', `/team-members?memberId=${person.membershipId}`)).toEqual([second, member])
  expect(await client.done<TeamMember[]>('GET', `/team-members?teamId=${web.id}`)).toHaveLength(2)
  expect(await client.done('GET', `/team-members/${member.id}`)).toEqual(member)

  const again = { data: { teamId: web.id, memberId: person.membershipId } }
  expect(await client.ask('POST', '/team-members', again)).toMatchObject({
    status: 409,
    body: { code: apiErrors.alreadyInTeam.code },
  })
  expect((await client.ask('DELETE', `/team-members/${member.id}`)).status).toBe(204)
  const gone = { status: 404, body: { code: apiErrors.teamMemberNotFound.code } }
  expect(await client.ask('GET', `/team-members/${member.id}`)).toMatchObject(gone)
  expect(await client.ask('DELETE', `/team-members/${member.id}`)).toMatchObject(gone)
  expect(await put(web.id, person.membershipId)).toMatchObject({ teamId: web.id })
})

test('a member who leaves the organization leaves its teams', async () => {
  const team = await create('leavers')
  const person = await createMember()
  await put(team.id, person.membershipId)
  await client.ask('DELETE', `/memberships/${person.membershipId}`)
  expect(await client.done('GET', `/team-members?teamId=${team.id}`)).toEqual([])
})

test('a user of another organization cannot join a team', async () => {
  const team = await create('ours')
  const stranger = await seedOrganization(world.db)
  const answer = await client.ask('POST', '/team-members', {
    data: { teamId: team.id, memberId: stranger.membershipId },
  })
  expect(answer).toMatchObject({ status: 422, body: { code: apiErrors.referenceNotFound.code } })
})
