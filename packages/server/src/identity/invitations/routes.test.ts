import { apiErrors, type Invitation, type Membership, type NewInvitation } from '@sluice/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { eq } from '../../platform/db/drizzle.ts'
import { newId } from '../../platform/ids.ts'
import { Client } from '../../testing/client.ts'
import { seedOrganization, startHttpWorld } from '../../testing/http-world.ts'
import { hashPassword } from '../organizations/passwords.ts'
import { memberships, users } from '../organizations/tables.ts'
import { setPassword } from '../users/store.ts'
import { invitations } from './tables.ts'

const password = 'correct horse battery staple'

let world: Awaited<ReturnType<typeof startHttpWorld>>
let stranger: Client
beforeAll(async () => {
  world = await startHttpWorld()
  stranger = new Client(world.url, '')
})
afterAll(() => world?.[Symbol.asyncDispose]())

async function organization() {
  const owner = await seedOrganization(world.db)
  return { owner, client: new Client(world.url, owner.key) }
}

const newEmail = () => `${newId('usr')}@example.com`
const invite = (client: Client, email: string, role = 'DEVELOPER') =>
  client.done<NewInvitation>('POST', '/invitations', { data: { email, role } })
const accept = (token: string, change: Record<string, unknown> = {}) =>
  stranger.ask('POST', '/invitations/accept', { data: { token, fullName: 'Grace', password, ...change } })
const login = (email: string, organizationId: string) =>
  stranger.ask('POST', '/auth/login', { data: { email, password, organizationId } })

test('an invitation returns its token once and makes a new user a member', async () => {
  const { owner, client } = await organization()
  const email = newEmail()
  const { token, ...invitation } = await invite(client, email.toUpperCase())
  expect(invitation).toEqual({
    id: expect.stringMatching(/^inv_/),
    createdAt: expect.any(String),
    updatedAt: expect.any(String),
    organizationId: owner.organizationId,
    email,
    role: 'DEVELOPER',
    status: 'PENDING',
    expiresAt: expect.any(String),
    invitedById: owner.membershipId,
  })
  const days = (Date.parse(invitation.expiresAt) - Date.now()) / 86_400_000
  expect(days).toBeGreaterThan(6.9)
  expect(days).toBeLessThan(7)
  expect(await client.done('GET', `/invitations/${invitation.id}`)).toEqual(invitation)
  expect(await client.done('GET', '/invitations')).toEqual([invitation])
  expect(JSON.stringify(await world.db.select().from(invitations))).not.toContain(token)

  const accepted = await accept(token)
  expect(accepted).toMatchObject({
    status: 201,
    body: { data: { organizationId: owner.organizationId, email, role: 'DEVELOPER', fullName: 'Grace' } },
  })
  expect(await client.done('GET', `/invitations/${invitation.id}`)).toMatchObject({
    status: 'ACCEPTED',
    acceptedAt: expect.any(String),
  })
  const { data: membership } = accepted.body as { data: Membership }
  expect(await client.done('GET', `/memberships/${membership.id}`)).toEqual(membership)
  expect((await login(email, owner.organizationId)).status).toBe(200)
})

test('a known user accepts with their password and keeps their profile', async () => {
  const email = newEmail()
  const [first, second] = [await organization(), await organization()]
  await accept((await invite(first.client, email)).token)
  const { token } = await invite(second.client, email, 'VIEWER')

  const refused = await accept(token, { password: 'another long password' })
  expect(refused).toMatchObject({ status: 401, body: { code: apiErrors.signInFailed.code } })
  const accepted = await accept(token, { fullName: 'Somebody else' })
  expect(accepted).toMatchObject({ status: 201, body: { data: { role: 'VIEWER', fullName: 'Grace' } } })
  expect(await world.db.$count(users, eq(users.email, email))).toBe(1)
  for (const { owner } of [first, second]) expect((await login(email, owner.organizationId)).status).toBe(200)
})

test('a token does not set the password of a known user who has none', async () => {
  const { client } = await organization()
  const { owner } = await organization()
  const { token } = await invite(client, `${owner.userId}@example.com`)
  expect((await accept(token)).status).toBe(401)
  await setPassword(world.db, owner.userId, await hashPassword(password))
  expect((await accept(token)).status).toBe(201)
})

test('an invitation is accepted once, even with concurrent attempts', async () => {
  const { owner, client } = await organization()
  const email = newEmail()
  const { token } = await invite(client, email)
  const statuses = (await Promise.all([accept(token), accept(token), accept(token)])).map(({ status }) => status)
  expect(statuses.filter((status) => status === 201)).toHaveLength(1)
  expect(await accept(token)).toMatchObject({ status: 404, body: { code: apiErrors.invitationNotFound.code } })
  expect(await world.db.$count(memberships, eq(memberships.organizationId, owner.organizationId))).toBe(2)
})

test('an expired or revoked invitation is invalid, and another can be created', async () => {
  const { client } = await organization()
  const email = newEmail()
  const old = await invite(client, email)
  await world.db
    .update(invitations)
    .set({ expiresAt: new Date(Date.now() - 1000) })
    .where(eq(invitations.id, old.id))
  expect(await client.done('GET', `/invitations/${old.id}`)).toMatchObject({ status: 'EXPIRED' })
  expect((await accept(old.token)).status).toBe(404)

  const next = await invite(client, email)
  expect(await client.done<Invitation[]>('GET', '/invitations')).toHaveLength(1)
  expect((await client.ask('DELETE', `/invitations/${next.id}`)).status).toBe(204)
  expect((await client.ask('DELETE', `/invitations/${next.id}`)).status).toBe(404)
  expect((await accept(next.token)).status).toBe(404)
  expect((await accept('sli_nonsense')).status).toBe(404)
})

test('a user cannot be invited twice at once or while they are a member', async () => {
  const { owner, client } = await organization()
  const email = newEmail()
  const { token } = await invite(client, email)
  const again = () => client.ask('POST', '/invitations', { data: { email: email.toUpperCase(), role: 'ADMIN' } })
  expect(await again()).toMatchObject({ status: 409, body: { code: apiErrors.alreadyInvited.code } })
  await accept(token)
  expect(await again()).toMatchObject({ status: 409, body: { code: apiErrors.alreadyMember.code } })

  // A removed member can be invited again.
  const [member] = await client.done<Membership[]>('GET', '/memberships?role=DEVELOPER')
  await client.ask('DELETE', `/memberships/${member?.id}`)
  expect((await again()).status).toBe(201)
  expect(await client.done('GET', `/memberships/${owner.membershipId}`)).toMatchObject({ role: 'OWNER' })
})

test('a user who became a member in another way cannot accept', async () => {
  const { owner, client } = await organization()
  const [email, userId] = [newEmail(), newId('usr')]
  const { token } = await invite(client, email)
  await world.db.insert(users).values({ id: userId, email })
  await setPassword(world.db, userId, await hashPassword(password))
  const membership = { id: newId('mem'), organizationId: owner.organizationId, userId, role: 'VIEWER' } as const
  await world.db.insert(memberships).values(membership)
  expect(await accept(token)).toMatchObject({ status: 409, body: { code: apiErrors.alreadyMember.code } })
})

test.each([
  ['a short password', { password: 'short' }],
  ['no name', { fullName: undefined }],
  ['an organization', { organizationId: 'org_1' }],
])('an invitation cannot be accepted with %s', async (_what, change) => {
  expect((await accept('sli_x', change)).status).toBe(400)
})
