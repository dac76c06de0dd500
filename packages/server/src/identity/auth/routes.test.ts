import { apiErrors, routes } from '@sluice/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { everyCase } from '../../../../../testing/every-case.ts'
import { newApiKey, storedApiKey } from '../../platform/auth/api-key.ts'
import { eq } from '../../platform/db/drizzle.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import { handle } from '../../platform/http/handle.ts'
import { newId } from '../../platform/ids.ts'
import { eventually } from '../../testing/eventually.ts'
import { probeOf, type SeededOrganization, seedOrganization, startHttpWorld } from '../../testing/http-world.ts'
import { apiKeys, serviceAccounts } from '../organizations/tables.ts'

let world: Awaited<ReturnType<typeof startHttpWorld>>
let owner: SeededOrganization

beforeAll(async () => {
  world = await startHttpWorld((app) =>
    handle(app, probeOf(routes.createDeployment), async () => {
      throw new ApiError('queueFull', 'reached the handler')
    }),
  )
  owner = await seedOrganization(world.db)
})
afterAll(() => world?.[Symbol.asyncDispose]())

test('a member can read their own identity', async () => {
  const { status, body } = await world.ask('/auth/whoami', { key: owner.key })
  expect(status).toBe(200)
  expect(body).toEqual({
    data: {
      authSource: 'API_KEY',
      email: `${owner.userId}@example.com`,
      fullName: 'Ada',
      globalRole: 'USER',
      identityId: owner.keyId,
      identityType: 'API_KEY',
      membershipId: owner.membershipId,
      organizationId: owner.organizationId,
      organizationName: 'Acme',
      principalType: 'MEMBERSHIP',
      role: 'OWNER',
      userId: owner.userId,
    },
  })
})

test('a service account can read its own identity', async () => {
  const id = newId('sa')
  const key = newApiKey()
  const { organizationId } = owner
  await world.db.insert(serviceAccounts).values({ id, organizationId, name: 'ci', role: 'DEVELOPER' })
  const record = { id: newId('key'), organizationId, serviceAccountId: id, name: 'ci', ...storedApiKey(key) }
  await world.db.insert(apiKeys).values(record)
  const { body } = await world.ask('/auth/whoami', { key })
  expect(body.data).toMatchObject({
    principalType: 'SERVICE_ACCOUNT',
    role: 'DEVELOPER',
    fullName: 'ci',
    membershipId: id,
    userId: id,
    email: '',
  })
})

test(
  'a caller without valid credentials gets 401 before the body is read',
  everyCase(
    [
      ['nothing', undefined],
      ['another scheme', 'Basic dXNlcjpwYXNz'],
      ['something else', 'Bearer hello'],
      ['an unknown key', `Bearer ${newApiKey()}`],
    ],
    async (_what, authorization) => {
      const headers = { 'content-type': 'text/plain', ...(authorization && { authorization }) }
      const {
        status,
        body,
        headers: replied,
      } = await world.ask('/probe/deployments', { method: 'POST', body: '{', headers })
      expect(status).toBe(401)
      expect(body).toEqual({
        action: expect.objectContaining({ label: 'What to do' }),
        code: apiErrors.unauthenticated.code,
        message: expect.any(String),
        requestId: replied.get('x-request-id'),
      })
      expect(replied.get('www-authenticate')).toBe('Bearer')
    },
  ),
)

async function answerWhere(columns: Partial<typeof apiKeys.$inferInsert>): Promise<number> {
  const { key, keyId } = await seedOrganization(world.db)
  await world.db.update(apiKeys).set(columns).where(eq(apiKeys.id, keyId))
  return (await world.ask('/auth/whoami', { key })).status
}

test('expired and revoked keys are rejected, others accepted', async () => {
  expect(await answerWhere({ expiresAt: new Date(Date.now() - 1000) })).toBe(401)
  expect(await answerWhere({ revokedAt: new Date() })).toBe(401)
  expect(await answerWhere({ expiresAt: new Date(Date.now() + 60_000) })).toBe(200)
})

test('a key in use stops working when it is revoked', async () => {
  const { key, keyId } = await seedOrganization(world.db)
  expect((await world.ask('/auth/whoami', { key })).status).toBe(200)
  await world.db.update(apiKeys).set({ revokedAt: new Date() }).where(eq(apiKeys.id, keyId))
  const status = async () => (await world.ask('/auth/whoami', { key })).status
  await eventually('the key to be rejected', status, (seen) => seen === 401)
})

test('the last use of a key is recorded', async () => {
  const { key, keyId } = await seedOrganization(world.db)
  await world.ask('/auth/whoami', { key })
  const [row] = await world.db.select().from(apiKeys).where(eq(apiKeys.id, keyId))
  expect(row?.lastUsedAt).toBeInstanceOf(Date)
})

test('a viewer can read but not deploy; a developer can deploy', async () => {
  const viewer = await seedOrganization(world.db, { role: 'VIEWER' })
  const developer = await seedOrganization(world.db, { role: 'DEVELOPER' })
  const body = JSON.stringify({ data: { description: '', moduleInstanceId: 'mi_1' } })

  expect((await world.ask('/module-instances', { key: viewer.key })).status).toBe(200)
  const refused = await world.send('/probe/deployments', viewer.key, body)
  expect(refused.status).toBe(403)
  expect(refused.body).toMatchObject({ code: apiErrors.forbidden.code, message: expect.stringContaining('VIEWER') })
  expect((await world.send('/probe/deployments', developer.key, body)).body.message).toBe('reached the handler')
})
