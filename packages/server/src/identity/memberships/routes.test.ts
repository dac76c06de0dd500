import { apiErrors, type Membership } from '@sluice/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { eq } from '../../platform/db/drizzle.ts'
import { Client } from '../../testing/client.ts'
import { type SeededOrganization, seedOrganization, startHttpWorld } from '../../testing/http-world.ts'
import { addMember } from '../../testing/members.ts'
import { users } from '../organizations/tables.ts'
import { insertMembership } from './store.ts'

let world: Awaited<ReturnType<typeof startHttpWorld>>
beforeAll(async () => {
  world = await startHttpWorld()
})
afterAll(() => world?.[Symbol.asyncDispose]())

/** Creates an organization with an owner and another member. */
async function organizationOfTwo(role: Membership['role']) {
  const owner = await seedOrganization(world.db)
  const key = await addMember(world.db, owner.organizationId, role)
  const member = new Client(world.url, key)
  const { membershipId } = await member.done<{ membershipId: string }>('GET', '/auth/whoami')
  return { owner, client: new Client(world.url, owner.key), member, membershipId }
}

const path = ({ membershipId }: Pick<SeededOrganization, 'membershipId'>) => `/memberships/${membershipId}`

test('members are listed newest first with their users, filtered by role or user', async () => {
  const { owner, client, membershipId } = await organizationOfTwo('VIEWER')
  await world.db.update(users).set({ shortName: 'A' }).where(eq(users.id, owner.userId))
  const first = await client.ask('GET', '/memberships?limit=1')
  expect(first.body).toMatchObject({
    data: [{ id: membershipId, role: 'VIEWER', email: expect.stringMatching(/^viewer-/), fullName: 'Mia Member' }],
    meta: { limit: 1, totalCount: 2, nextCursor: expect.stringMatching(/./) },
  })
  const { meta } = first.body as { meta: { nextCursor: string } }
  const second = await client.ask('GET', `/memberships?limit=1&cursor=${meta.nextCursor}`)
  const own = {
    id: owner.membershipId,
    createdAt: expect.any(String),
    updatedAt: expect.any(String),
    organizationId: owner.organizationId,
    userId: owner.userId,
    role: 'OWNER',
    email: `${owner.userId}@example.com`,
    fullName: 'Ada',
    shortName: 'A',
  }
  expect(second.body).toEqual({ data: [own], meta: { limit: 1, totalCount: 2, nextCursor: '' } })
  expect(await client.done('GET', path(owner))).toEqual(own)
  expect(await client.done<Membership[]>('GET', '/memberships?role=OWNER')).toEqual([own])
  expect(await client.done<Membership[]>('GET', `/memberships?userId=${owner.userId}`)).toEqual([own])
})

test('a role change takes effect at once', async () => {
  const { client, member, membershipId } = await organizationOfTwo('VIEWER')
  expect((await member.ask('GET', '/audit-events')).status).toBe(403)
  expect(await client.done('PATCH', path({ membershipId }), { data: { role: 'OWNER' } })).toMatchObject({
    role: 'OWNER',
  })
  expect((await member.ask('GET', '/audit-events')).status).toBe(200)
  expect(await client.done('PATCH', path({ membershipId }), { data: {} })).toMatchObject({ role: 'OWNER' })
})

test('a removed member loses access at once', async () => {
  const { client, member, membershipId } = await organizationOfTwo('ADMIN')
  expect((await member.ask('GET', '/memberships')).status).toBe(200)
  const removed = await client.ask('DELETE', path({ membershipId }))
  expect(removed).toMatchObject({ status: 204, body: undefined })
  expect((await member.ask('GET', '/memberships')).status).toBe(401)
  expect((await client.ask('GET', path({ membershipId }))).status).toBe(404)
  expect((await client.ask('DELETE', path({ membershipId }))).status).toBe(404)
})

test('the keys of a member end with the membership and stay revoked after a new one', async () => {
  const { owner, client, member, membershipId } = await organizationOfTwo('DEVELOPER')
  const made = await member.done<{ token: string }>('POST', '/api-keys', { data: { name: 'for a script' } })
  const script = new Client(world.url, made.token)
  const { userId } = await script.done<{ userId: string }>('GET', '/auth/whoami')
  expect((await client.ask('DELETE', path({ membershipId }))).status).toBe(204)
  expect((await script.ask('GET', '/auth/whoami')).status).toBe(401)
  await insertMembership(world.db, { organizationId: owner.organizationId, userId, role: 'DEVELOPER' })
  expect((await script.ask('GET', '/auth/whoami')).status).toBe(401)
})

test('the last owner cannot be removed or demoted', async () => {
  const { owner, client, member, membershipId } = await organizationOfTwo('ADMIN')
  const refused = { status: 409, body: { code: apiErrors.lastOwner.code } }
  expect(await client.ask('DELETE', path(owner))).toMatchObject(refused)
  expect(await client.ask('PATCH', path(owner), { data: { role: 'ADMIN' } })).toMatchObject(refused)
  expect((await client.ask('PATCH', path(owner), { data: { role: 'OWNER' } })).status).toBe(200)

  await client.done('PATCH', path({ membershipId }), { data: { role: 'OWNER' } })
  expect((await client.ask('DELETE', path(owner))).status).toBe(204)
  expect(await member.ask('DELETE', path({ membershipId }))).toMatchObject(refused)
})

test('of two owners who demote each other concurrently, only one succeeds', async () => {
  for (let round = 0; round < 5; round += 1) {
    const { owner, client, member, membershipId } = await organizationOfTwo('OWNER')
    const answers = await Promise.all([
      client.ask('PATCH', path({ membershipId }), { data: { role: 'VIEWER' } }),
      member.ask('PATCH', path(owner), { data: { role: 'VIEWER' } }),
    ])
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  }
})

test('members of other organizations are not visible', async () => {
  const { client } = await organizationOfTwo('VIEWER')
  const other = await seedOrganization(world.db)
  for (const [method, body] of [['GET'], ['PATCH', { data: {} }], ['DELETE']] as const) {
    expect(await client.ask(method, path(other), body)).toMatchObject({ status: 404 })
  }
})
