import { apiErrors } from '@sluice/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { everyCase } from '../../../../../testing/every-case.ts'
import { Client } from '../../testing/client.ts'
import { hostileClaims } from '../../testing/hostile-claims.ts'
import { seedOrganization, startHttpWorld } from '../../testing/http-world.ts'
import { startIssuer } from '../../testing/issuer.ts'
import { plenty, visitor } from '../../testing/visitor.ts'

let world: Awaited<ReturnType<typeof startHttpWorld>>
let issuer: Awaited<ReturnType<typeof startIssuer>>
let client: Client
/** The service account that trusts the issuer. */
let serviceAccountId: string
let trustId: string
beforeAll(async () => {
  issuer = await startIssuer()
  world = await startHttpWorld(undefined, { limits: plenty, outboundAllow: ['127.0.0.1'] })
  client = new Client(world.url, (await seedOrganization(world.db)).key)
  serviceAccountId = await newAccount('ci', 'DEVELOPER')
  trustId = await trust(serviceAccountId)
})
afterAll(async () => {
  await world?.[Symbol.asyncDispose]()
  await issuer?.close()
})

const audience = 'https://sluice.example'
const subject = 'repo:acme/web:ref:refs/heads/main'
const right = { aud: audience, sub: subject, environment: 'production' }

const newAccount = async (name: string, role: string) =>
  (await client.done<{ id: string }>('POST', '/service-accounts', { data: { name, role } })).id

const trustOf = (account: string, change = {}) => ({
  data: {
    serviceAccountId: account,
    name: 'main',
    issuer: issuer.url,
    audience,
    subject,
    claims: { environment: 'production' },
    ...change,
  },
})
const trust = async (account: string, change = {}) =>
  (await client.done<{ id: string }>('POST', '/service-account-trusts', trustOf(account, change))).id

const exchange = (idToken: string, account = serviceAccountId) =>
  visitor(world).post('/auth/token-exchange', { serviceAccountId: account, idToken })
const exchangeSigned = async (claims: Record<string, unknown>, header = {}) =>
  exchange(await issuer.sign(claims, header))

test('an ID token of the issuer signs the service account in for 15 minutes and is recorded', async () => {
  const { status, body } = await exchangeSigned(right)
  expect(status, JSON.stringify(body)).toBe(200)
  const lifeMs = Date.parse(body.data.expiresAt) - Date.now()
  expect(lifeMs / 60_000).toBeGreaterThan(14)
  expect(lifeMs / 60_000).toBeLessThanOrEqual(15)
  const program = new Client(world.url, body.data.token)
  expect(await program.done('GET', '/auth/whoami')).toMatchObject({
    principalType: 'SERVICE_ACCOUNT',
    membershipId: serviceAccountId,
    identityType: 'ID_TOKEN',
    role: 'DEVELOPER',
  })
  expect((await program.ask('GET', '/projects')).status).toBe(200)
  const [line] = await client.done<object[]>('GET', '/audit-events?action=service-account-tokens.create')
  expect(line).toMatchObject({
    actorType: 'SERVICE_ACCOUNT',
    actorId: serviceAccountId,
    actorName: 'ci',
    details: { trustId, issuer: issuer.url, subject },
  })
  expect(JSON.stringify(line)).not.toContain(body.data.token)
})

test('an exchanged token cannot create keys that would outlive it, and is not listed as a key', async () => {
  const { body } = await exchangeSigned(right)
  const program = new Client(world.url, body.data.token)
  const refused = await program.ask('POST', '/api-keys', { data: { name: 'forever' } })
  expect(refused).toMatchObject({ status: 403, body: { code: apiErrors.forbidden.code } })
  expect(await client.done('GET', `/api-keys?serviceAccountId=${serviceAccountId}`)).toEqual([])
})

const now = () => Math.floor(Date.now() / 1_000)
test(
  'an invalid ID token is rejected',
  everyCase<[string, () => Record<string, unknown>, object?]>(
    [
      ['of another repository', () => ({ ...right, sub: 'repo:acme/other:ref:refs/heads/main' })],
      ['of another owner whose name begins so', () => ({ ...right, sub: 'repo:acme-evil/web:ref:refs/heads/main' })],
      ['of another branch', () => ({ ...right, sub: 'repo:acme/web:ref:refs/heads/main2' })],
      ['with another claim', () => ({ ...right, environment: 'staging' })],
      ['without the claim', () => ({ aud: audience, sub: subject })],
      ['with a list for the claim', () => ({ ...right, environment: ['production'] })],
      ['for another audience', () => ({ ...right, aud: 'https://other.example' })],
      ['without an audience', () => ({ sub: subject, environment: 'production' })],
      ['without a subject', () => ({ aud: audience, environment: 'production' })],
      ['that has expired', () => ({ ...right, iat: now() - 700, exp: now() - 60 })],
      ['that never expires', () => ({ ...right, exp: undefined })],
      ['that is not yet good', () => ({ ...right, nbf: now() + 600 })],
      ['with a key that the issuer has not', () => right, { kid: 'unknown' }],
      ['of another type', () => right, { typ: 'logout+jwt' }],
      ['of another issuer by its word', () => ({ ...right, iss: 'https://token.example' })],
    ],
    async (_what, claims, header) => {
      const { status, body } = await exchangeSigned(claims(), header)
      expect([status, body.code], body.message).toEqual([401, apiErrors.idTokenRefused.code])
      expect(body.message).not.toContain(audience)
    },
  ),
)

test(
  'an ID token with malformed claims is rejected and causes no internal error',
  everyCase(hostileClaims, async (_what, change) => {
    const { status, body } = await exchangeSigned({ ...right, ...change() })
    expect([status, body.code], body.message).toEqual([401, apiErrors.idTokenRefused.code])
  }),
)

test('a key of another issuer with the same key id is rejected', async () => {
  const evil = await startIssuer()
  const own = await evil.sign(right)
  const posing = await evil.sign({ ...right, iss: issuer.url })
  for (const token of [own, posing]) expect((await exchange(token)).status).toBe(401)
  expect(evil.asked).toEqual([]) // an untrusted issuer is not contacted
  await evil.close()
})

test('an unsigned token, one signed with public data, and a non-token are rejected', async () => {
  const [, payload] = (await issuer.sign(right)).split('.')
  const none = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${payload}.`
  const shared = `${Buffer.from('{"alg":"HS256","kid":"first"}').toString('base64url')}.${payload}.c2lnbmF0dXJl`
  for (const token of [none, shared, 'nonsense', 'a.b.c', (await issuer.sign(right)).slice(0, -8)]) {
    const { status, body } = await exchange(token)
    expect([status, body.code], token).toEqual([401, apiErrors.idTokenRefused.code])
  }
})

test('another or unknown service account is not signed in', async () => {
  const other = await newAccount('other', 'OWNER')
  const token = await issuer.sign(right)
  for (const account of [other, 'sa_nobody']) expect((await exchange(token, account)).status).toBe(401)
})

test('keys are fetched once, and again for an unknown key id', async () => {
  const own = await startIssuer('a')
  const account = await newAccount('rotating', 'VIEWER')
  await trust(account, { issuer: own.url })
  for (let round = 0; round < 3; round += 1) expect((await exchange(await own.sign(right), account)).status).toBe(200)
  expect(own.asked).toEqual(['/.well-known/openid-configuration', '/keys'])
  for (const kid of ['x', 'y', 'z']) expect((await exchange(await own.sign(right, { kid }), account)).status).toBe(401)
  expect(own.asked).toHaveLength(2) // refetched a moment ago: strangers cannot cause further requests
  await own.close()
})

test('an issuer with a different name or without a response is rejected', async () => {
  const liar = await startIssuer()
  liar.lies.issuer = 'https://token.example'
  const account = await newAccount('deceived', 'VIEWER')
  await trust(account, { issuer: liar.url })
  const token = await liar.sign(right)
  expect(await exchange(token, account)).toMatchObject({
    status: 503,
    body: { code: apiErrors.issuerUnreachable.code },
  })
  await liar.close()
  expect((await exchange(token, account)).status).toBe(503)
})

test('an issuer in the server’s own network is not contacted unless the operator allows it', async () => {
  await using guarded = await startHttpWorld(undefined, { limits: plenty })
  const owner = new Client(guarded.url, (await seedOrganization(guarded.db)).key)
  const { id } = await owner.done<{ id: string }>('POST', '/service-accounts', { data: { name: 'ci', role: 'VIEWER' } })
  await owner.done('POST', '/service-account-trusts', trustOf(id))
  const asked = issuer.asked.length
  const data = { serviceAccountId: id, idToken: await issuer.sign(right) }
  const { status, body } = await visitor(guarded).post('/auth/token-exchange', data)
  expect([status, body.code]).toEqual([503, apiErrors.issuerUnreachable.code])
  expect(issuer.asked).toHaveLength(asked)
})

test('a deleted trust revokes its tokens', async () => {
  const account = await newAccount('short', 'VIEWER')
  const id = await trust(account, { tokenLifetimeSeconds: 3_600 })
  const { body } = await exchange(await issuer.sign(right), account)
  const program = new Client(world.url, body.data.token)
  expect((await program.ask('GET', '/projects')).status).toBe(200)
  expect((await client.ask('DELETE', `/service-account-trusts/${id}`)).status).toBe(204)
  expect((await program.ask('GET', '/projects')).status).toBe(401)
  expect((await exchange(await issuer.sign(right), account)).status).toBe(401)
})

test(
  'an overly broad trust is rejected',
  everyCase(
    [
      ['subject', { subject: 'repo:*' }],
      ['subject', { subject: 'repo:acme*' }],
      ['claims.ref', { claims: { ref: '*' } }],
      ['issuer', { issuer: 'http://token.example' }],
      ['tokenLifetimeSeconds', { tokenLifetimeSeconds: 86_400 }],
    ],
    async (place, change) => {
      const { status, body } = await client.ask('POST', '/service-account-trusts', trustOf(serviceAccountId, change))
      expect([status, JSON.stringify(body)]).toEqual([400, expect.stringContaining(`$.data.${place}`)])
    },
  ),
)

test('a caller without a valid token is blocked after some attempts', async () => {
  await using strict = await startHttpWorld()
  const data = { serviceAccountId: 'sa_nobody', idToken: 'nonsense' }
  const statuses = []
  for (let round = 0; round < 11; round += 1) {
    statuses.push((await visitor(strict).post('/auth/token-exchange', data)).status)
  }
  expect(statuses).toEqual([...Array.from({ length: 10 }, () => 401), 429])
})
