import { apiErrors } from '@sluice/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { everyCase } from '../../../../../testing/every-case.ts'
import { hostileClaims } from '../../testing/hostile-claims.ts'
import { startHttpWorld } from '../../testing/http-world.ts'
import { ada, clientId, organizationWithProvider, type Provided, signIn } from '../../testing/single-sign-on.ts'
import { plenty } from '../../testing/visitor.ts'

let world: Awaited<ReturnType<typeof startHttpWorld>>
let org: Provided
beforeAll(async () => {
  world = await startHttpWorld(undefined, { limits: plenty, outboundAllow: ['127.0.0.1'] })
  org = await organizationWithProvider(world)
})
afterAll(() => world?.[Symbol.asyncDispose]())

const event = 'http://schemas.openid.net/event/backchannel-logout'
let words = 0
const word = (change: Record<string, unknown> = {}): Record<string, unknown> => {
  words += 1
  return { aud: clientId, jti: `word-${words}`, sub: 'ada', events: { [event]: {} }, ...change }
}

const post = (token: string, { providerId } = org) =>
  world.ask(`/auth/sign-in/${providerId}/logout`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ logout_token: token }).toString(),
  })
const say = async (claims: Record<string, unknown>, header: object = { typ: 'logout+jwt' }) =>
  post(await org.issuer.sign(claims, header))

/** Signs in a user and returns the session cookie. */
const session = async (sid: string, sub = 'ada') =>
  (await signIn(world, org, { ...ada, sub, email: `${sub}@${org.domain}`, sid })).cookie ?? ''
const statusOf = async (cookie: string) => (await world.ask('/auth/whoami', { headers: { cookie } })).status

test('a sign-out at the provider ends the sessions here and is recorded', async () => {
  const [one, two, other] = [await session('1'), await session('2'), await session('3', 'bob')]
  const { status, headers } = await say(word())
  expect([status, headers.get('cache-control')]).toEqual([200, 'no-store'])
  expect([await statusOf(one), await statusOf(two), await statusOf(other)]).toEqual([401, 401, 200])
  const [line] = await org.client.done<object[]>('GET', '/audit-events?action=sessions.delete')
  expect(line).toMatchObject({ actorType: 'SERVICE', details: { identityProviderId: org.providerId } })
})

test('a logout token for one session ends only that session', async () => {
  const [one, two] = [await session('4'), await session('5')]
  expect((await say(word({ sid: '4', sub: undefined }))).status).toBe(200)
  expect([await statusOf(one), await statusOf(two)]).toEqual([401, 200])
})

const now = () => Math.floor(Date.now() / 1_000)
test(
  'an invalid logout token ends no session',
  everyCase<[string, () => Record<string, unknown>, object?]>(
    [
      ['of another issuer', () => ({ iss: 'https://id.example.com' })],
      ['for another client', () => ({ aud: 'other' })],
      ['with a nonce', () => ({ nonce: 'x' })],
      ['about nothing', () => ({ events: undefined })],
      ['about something else', () => ({ events: { 'https://example.com/event': {} } })],
      ['about nobody', () => ({ sub: undefined })],
      ['without an id', () => ({ jti: undefined })],
      ['of an hour ago', () => ({ iat: now() - 3_600 })],
      ['that has expired', () => ({ iat: now() - 300, exp: now() - 120 })],
      ['of another type', () => ({}), { typ: 'at+jwt' }],
      ['with a key that the provider has not', () => ({}), { kid: 'unknown' }],
    ],
    async (_what, change, header) => {
      const cookie = await session('6')
      const { status, body } = await say(word(change()), header)
      expect([status, body.code], body.message).toEqual([400, apiErrors.logoutTokenRefused.code])
      expect(await statusOf(cookie)).toBe(200)
    },
  ),
)

test(
  'a logout token with malformed claims ends no session and causes no internal error',
  everyCase(hostileClaims, async (_what, change) => {
    const { status, body } = await say(word(change()))
    expect([status, body.code], body.message).toEqual([400, apiErrors.logoutTokenRefused.code])
  }),
)

test('a logout token works once', async () => {
  const token = await org.issuer.sign(word(), { typ: 'logout+jwt' })
  expect((await post(token)).status).toBe(200)
  const cookie = await session('7')
  expect((await post(token)).status).toBe(400)
  expect(await statusOf(cookie)).toBe(200)
})

test('the provider of another organization cannot end sessions', async () => {
  const other = await organizationWithProvider(world)
  const cookie = await session('8')
  expect((await post(await other.issuer.sign(word()), other)).status).toBe(200)
  expect((await post(await other.issuer.sign(word()), org)).status).toBe(400)
  expect(await statusOf(cookie)).toBe(200)
})

test('a request without a form and an ID token end no session', async () => {
  const path = `/auth/sign-in/${org.providerId}/logout`
  const idToken = await org.issuer.sign({ ...ada, aud: clientId, nonce: 'x' })
  expect((await post(idToken)).status).toBe(400)
  expect((await world.ask(path, { method: 'POST' })).status).toBe(400)
  expect((await post('nonsense', { ...org, providerId: 'idp_nobody' })).status).toBe(400)
})

test('a user who signed in at the provider gets its sign-out URL', async () => {
  const cookie = await session('9')
  const { body } = await world.ask('/auth/sign-out-link', { headers: { cookie } })
  expect(body.data.url).toMatch(new RegExp(`^${org.issuer.url}/end\\?client_id=sluice`))
  expect((await world.ask('/auth/sign-out-link', { key: org.key })).body).toEqual({ data: {} })
})
