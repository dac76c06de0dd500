import { apiErrors } from '@sluice/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { everyCase } from '../../../../../testing/every-case.ts'
import { eq } from '../../platform/db/drizzle.ts'
import { hostileClaims } from '../../testing/hostile-claims.ts'
import { type HttpWorldOptions, seedOrganization, startHttpWorld } from '../../testing/http-world.ts'
import { startIssuer } from '../../testing/issuer.ts'
import { addMember } from '../../testing/members.ts'
import {
  ada,
  begin,
  clientId,
  openCallback,
  organizationWithProvider,
  type Provided,
  signIn,
} from '../../testing/single-sign-on.ts'
import { password, plenty, visitor } from '../../testing/visitor.ts'
import { memberships, users } from '../organizations/tables.ts'

let world: Awaited<ReturnType<typeof startHttpWorld>>
let org: Provided
const allow: HttpWorldOptions = { limits: plenty, outboundAllow: ['127.0.0.1'], registration: 'open' }
type Said = Record<string, unknown>
beforeAll(async () => {
  world = await startHttpWorld(undefined, allow)
  org = await organizationWithProvider(world)
})
afterAll(() => world?.[Symbol.asyncDispose]())

const of = (name: string, change: Said = {}, { domain }: Provided = org): Said => ({
  ...ada,
  sub: name,
  email: `${name}@${domain}`,
  ...change,
})
const whoami = async (cookie: string | undefined) =>
  (await world.ask('/auth/whoami', { headers: { cookie: cookie ?? '' } })).body.data
const userOf = async (email: string) => (await world.db.select().from(users).where(eq(users.email, email)))[0]

test('a user who signs in at an organization’s provider becomes a member with the role of their groups', async () => {
  const { location, cookie } = await signIn(world, org, of('ada', { groups: ['everybody', 'ops'] }))
  expect(location).toBe('/')
  expect(await whoami(cookie)).toMatchObject({
    email: `ada@${org.domain}`,
    fullName: 'Ada',
    role: 'ADMIN',
    organizationId: org.organizationId,
    identityType: 'SINGLE_SIGN_ON',
    globalRole: 'USER',
  })
  const lines = await org.client.done<{ action: string; actorName: string }[]>('GET', '/audit-events')
  const own = lines.filter(({ actorName }) => actorName === `ada@${org.domain}`).map(({ action }) => action)
  expect(own.toReversed()).toEqual(['memberships.create', 'sessions.create'])
})

test('groups are evaluated at each sign-in, and the user is identified by subject, whatever the address', async () => {
  const first = await whoami((await signIn(world, org, of('bob', { groups: ['ops'] }))).cookie)
  const second = await whoami((await signIn(world, org, of('bob', { email: 'bob@elsewhere.example' }))).cookie)
  expect([first.role, second.role]).toEqual(['ADMIN', 'VIEWER'])
  expect(second.userId).toBe(first.userId)
  expect(second.email).toBe(`bob@${org.domain}`)
})

test('the last owner keeps the role, whatever the groups', async () => {
  const own = await organizationWithProvider(world, { groupRoles: [{ group: 'everybody', role: 'VIEWER' }] })
  const email = `owner@${own.domain}`
  await world.db.update(users).set({ email }).where(eq(users.id, own.userId))
  const { cookie } = await signIn(world, own, of('owner', {}, own))
  expect(await whoami(cookie)).toMatchObject({ role: 'OWNER', userId: own.userId })
})

test('without mapped groups, members keep their roles, and new ones get the default role', async () => {
  const own = await organizationWithProvider(world, { groupRoles: [], defaultRole: 'DEVELOPER' })
  await world.db
    .update(users)
    .set({ email: `o@${own.domain}` })
    .where(eq(users.id, own.userId))
  expect(await whoami((await signIn(world, own, of('o', {}, own))).cookie)).toMatchObject({ role: 'OWNER' })
  expect(await whoami((await signIn(world, own, of('new', {}, own))).cookie)).toMatchObject({ role: 'DEVELOPER' })
})

test(
  'an identity that may not join is rejected',
  everyCase<[string, Said, string]>(
    [
      ['whose address is not verified', { email_verified: false }, 'signInAddressUnverified'],
      ['whose address nobody verified', { email_verified: undefined }, 'signInAddressUnverified'],
      ['who has no address', { email: undefined }, 'signInAddressUnverified'],
      ['of another domain', { email: 'eve@victim.example' }, 'signInDomainForeign'],
      ['of a domain below it', { email: 'eve@sub.example' }, 'signInDomainForeign'],
      ['who is in no group', { groups: ['others'] }, 'signInWithoutRole'],
    ],
    async (what, change, key) => {
      const name = `eve${what.length}`
      const { location, cookie, refused } = await signIn(world, org, of(name, change))
      expect([refused, cookie]).toEqual([key, undefined])
      expect(location).toBe(`/console/sign-in?refused=${key}`)
      expect(await userOf(String(change.email ?? `${name}@${org.domain}`))).toBeUndefined()
    },
  ),
)

const now = () => Math.floor(Date.now() / 1_000)
test(
  'an invalid ID token is rejected',
  everyCase<[string, () => Said, object?]>(
    [
      ['of another issuer', () => ({ iss: 'https://id.example.com' })],
      ['for another client', () => ({ aud: 'other' })],
      ['for us and acted for by another', () => ({ aud: [clientId, 'other'], azp: 'other' })],
      ['with another nonce', () => ({ nonce: 'another' })],
      ['without a nonce', () => ({ nonce: undefined })],
      ['that has expired', () => ({ iat: now() - 7_200, exp: now() - 3_600 })],
      ['with a key that the provider has not', () => ({}), { kid: 'unknown' }],
    ],
    async (_what, change, header) => {
      const { refused, cookie } = await signIn(world, org, of('mallory', change()), header)
      expect([refused, cookie]).toEqual(['signInRefused', undefined])
      expect(await userOf(`mallory@${org.domain}`)).toBeUndefined()
    },
  ),
)

test(
  'an ID token with malformed claims is rejected and causes no internal error',
  everyCase(hostileClaims, async (_what, change) => {
    const { refused, cookie } = await signIn(world, org, of('mallory', { ...change() }))
    expect([refused, cookie]).toEqual(['signInRefused', undefined])
    expect(await userOf(`mallory@${org.domain}`)).toBeUndefined()
  }),
)

test(
  'a provider with invalid endpoints is not contacted and causes no internal error',
  everyCase(
    [
      { authorization_endpoint: 'javascript:alert(1)' },
      { token_endpoint: 7 },
      { end_session_endpoint: 'data:text/html,' },
    ],
    async (lie) => {
      const own = await organizationWithProvider(world)
      Object.assign(own.issuer.lies, lie)
      const { status, body } = await visitor(world).post('/auth/sign-in', { organization: own.organizationId })
      expect([status, body.code], body.message).toEqual([503, apiErrors.issuerUnreachable.code])
    },
  ),
)

const encoded = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url')
test.each([
  ['is not signed', { alg: 'none' }, ''],
  ['is signed with what is public', { alg: 'HS256', kid: 'first' }, 'c2lnbmF0dXJl'],
  ['has a signature of nobody', { alg: 'RS256', kid: 'first' }, 'c2lnbmF0dXJl'],
])('an ID token that %s is rejected', async (_what, header, signature) => {
  const begun = await begin(world, { organization: org.organizationId })
  const claims = { iss: org.issuer.url, aud: clientId, nonce: begun.asked.nonce, iat: now(), exp: now() + 60 }
  const id_token = `${encoded(header)}.${encoded({ ...of('mallory'), ...claims })}.${signature}`
  org.issuer.onCode(async () => ({ access_token: 'x', token_type: 'bearer', id_token }))
  const query = { code: 'code', state: begun.asked.state ?? '', iss: org.issuer.url }
  expect(await openCallback(world, begun, query)).toMatchObject({ refused: 'signInRefused', cookie: undefined })
})

test('a code and a state work once, in the same browser and at the same provider', async () => {
  const begun = await begin(world, { organization: org.organizationId })
  const query = { code: 'code', state: begun.asked.state ?? '', iss: org.issuer.url }
  const other = await begin(world, { organization: org.organizationId })
  const stranger = await organizationWithProvider(world)
  const elsewhere = { ...begun.asked, redirect_uri: `${world.url}/auth/sign-in/${stranger.providerId}/callback` }
  const asked = org.issuer.asked.length
  for (const [who, what] of [
    [{ ...begun, cookie: '' }, query],
    [{ ...begun, cookie: 'sluice_sign_in=v1.a.b.c' }, query],
    [{ ...begun, cookie: other.cookie }, query],
    [begun, { ...query, state: other.asked.state ?? '' }],
    [begun, { code: 'code', iss: org.issuer.url }],
    [{ ...begun, asked: elsewhere }, query],
  ] as const) {
    expect(await openCallback(world, who, what)).toMatchObject({ refused: 'signInStateInvalid', cookie: undefined })
  }
  expect(org.issuer.asked).toHaveLength(asked) // the code was not sent to the provider
  await openCallback(world, begun, query)
  expect(await openCallback(world, begun, query)).toMatchObject({ refused: 'signInStateInvalid', cookie: undefined })
})

test('a response that another provider forged is rejected', async () => {
  const evil = await startIssuer()
  for (const iss of [evil.url, undefined]) {
    const begun = await begin(world, { organization: org.organizationId })
    const query = { code: 'code', state: begun.asked.state ?? '', ...(iss && { iss }) }
    const asked = org.issuer.asked.length
    expect(await openCallback(world, begun, query)).toMatchObject({ refused: 'signInRefused', cookie: undefined })
    expect(org.issuer.asked).toHaveLength(asked)
  }
  await evil.close()
})

test('a user who cancels at the provider is told so', async () => {
  const begun = await begin(world, { organization: org.organizationId })
  const query = { error: 'access_denied', state: begun.asked.state ?? '', iss: org.issuer.url }
  expect(await openCallback(world, begun, query)).toMatchObject({ status: 302, refused: 'signInRefused' })
})

test('a known user is found by a verified address and no other', async () => {
  const email = `known@${org.domain}`
  await visitor(world).register(email)
  const known = await userOf(email)
  const { cookie } = await signIn(world, org, of('known'))
  expect(await whoami(cookie)).toMatchObject({ userId: known?.id, organizationId: org.organizationId })

  await visitor(world).register('victim@victim.example')
  const evil = await organizationWithProvider(world)
  const posing = of('victim', { email: 'victim@victim.example' }, evil)
  expect(await signIn(world, evil, posing)).toMatchObject({ refused: 'signInDomainForeign', cookie: undefined })
})

test('an organization’s provider gives no access to other organizations of a user', async () => {
  const other = await seedOrganization(world.db)
  await signIn(world, org, of('grace'))
  const grace = await userOf(`grace@${org.domain}`)
  await world.db
    .insert(memberships)
    .values({ id: `mem_${grace?.id}`, organizationId: other.organizationId, userId: grace?.id ?? '', role: 'OWNER' })
  const { cookie } = await signIn(world, org, of('grace'))
  expect((await whoami(cookie)).organizationId).toBe(org.organizationId)
  const data = { password: { new: 'a password that opens everything' } }
  const headers = { cookie: cookie ?? '', 'x-sluice-csrf': '1', 'content-type': 'application/json' }
  const { status } = await world.ask('/users/me', { method: 'PATCH', headers, body: JSON.stringify({ data }) })
  expect(status).toBe(403)
})

test('an organization’s provider cannot sign in an operator', async () => {
  await signIn(world, org, of('root'))
  await world.db
    .update(users)
    .set({ globalRole: 'SUPERADMIN' })
    .where(eq(users.email, `root@${org.domain}`))
  expect(await signIn(world, org, of('root'))).toMatchObject({ refused: 'signInRefused', cookie: undefined })
})

test('redirects lead only to Sluice’s own pages, and a provider is found by email domain', async () => {
  for (const [returnTo, location] of [
    ['/console/runs?x=1', '/console/runs?x=1'],
    ['https://evil.example/', '/'],
    ['//evil.example/', '/'],
    ['/\\evil.example', '/'],
    ['/.//evil.example', '/'],
    ['/console/..//evil.example', '/'],
    ['/\t/evil.example', '/'],
    ['javascript:alert(1)', '/'],
  ] as const) {
    const begun = await begin(world, { email: `ada@${org.domain}`, returnTo })
    org.issuer.onCode(async () => ({
      access_token: 'x',
      token_type: 'bearer',
      id_token: await org.issuer.sign({ ...of('ada'), aud: clientId, nonce: begun.asked.nonce }),
    }))
    const query = { code: 'code', state: begun.asked.state ?? '', iss: org.issuer.url }
    expect((await openCallback(world, begun, query)).location).toBe(location)
  }
  await expect(begin(world, { email: 'ada@nobody.example' })).rejects.toThrow(apiErrors.identityProviderNotFound.code)
})

test('an unverified domain finds no provider, and verification requires its DNS record', async () => {
  const texts = new Map<string, string[]>()
  await using own = await startHttpWorld(undefined, { ...allow, findTexts: async (name) => texts.get(name) ?? [] })
  const first = await organizationWithProvider(own)
  const second = await organizationWithProvider(own)
  const claim = ({ client }: Provided) =>
    client.done<{ id: string; recordName: string; recordValue: string }>('POST', '/sign-in-domains', {
      data: { domain: 'acme.example' },
    })
  const [mine, theirs] = [await claim(first), await claim(second)]
  const verify = ({ client }: Provided, { id }: { id: string }) => client.ask('POST', `/sign-in-domains/${id}/verify`)
  expect(await verify(second, theirs)).toMatchObject({ status: 422 })
  await expect(begin(own, { email: 'ada@acme.example' })).rejects.toThrow()

  texts.set(mine.recordName, ['v=spf1', mine.recordValue])
  expect(await verify(second, theirs)).toMatchObject({ status: 422 })
  expect(await verify(first, mine)).toMatchObject({ status: 200, body: { data: { status: 'VERIFIED' } } })
  expect((await begin(own, { email: 'Ada@ACME.example' })).url.origin).toBe(first.issuer.url)

  texts.set(mine.recordName, [theirs.recordValue]) // the domain changed owners, but the old claim remains
  expect(await verify(second, theirs)).toMatchObject({ status: 409 })
})

test('an organization without password sign-in keeps it for one owner', async () => {
  const own = await organizationWithProvider(world, { groupRoles: [], defaultRole: 'VIEWER' })
  const [owner, member] = [`boss@${own.domain}`, `dev@${own.domain}`]
  const idOf = async (email: string) => {
    await visitor(world).register(email)
    const user = await userOf(email)
    const id = `mem_${user?.id}`
    const role = email === owner ? 'OWNER' : 'DEVELOPER'
    await world.db.insert(memberships).values({ id, organizationId: own.organizationId, userId: user?.id ?? '', role })
    return id
  }
  const [breakGlass, other] = [await idOf(owner), await idOf(member)]
  const { organizationId } = own
  const login = async (email: string) => (await visitor(world).login(email, { organizationId })).status
  const session = (await visitor(world).login(member, { organizationId })).headers.getSetCookie()[0]?.split(';')[0]
  const put = (data: object) => own.client.ask('PATCH', '/sign-in-policy', { data })
  const off = { passwordSignIn: 'BREAK_GLASS' }
  expect((await put(off)).status).toBe(400)
  for (const id of [other, own.membershipId]) {
    // Not an owner; no password.
    expect(await put({ ...off, breakGlassMembershipId: id })).toMatchObject({ status: 422 })
  }
  expect((await put({ ...off, breakGlassMembershipId: breakGlass })).status).toBe(200)

  expect((await world.ask('/auth/whoami', { headers: { cookie: session ?? '' } })).status).toBe(401)
  const refused = await visitor(world).login(member, { organizationId })
  expect([refused.status, refused.body.code]).toEqual([403, apiErrors.passwordSignInOff.code])
  expect((await visitor(world).login(member, { organizationId, password: 'wrong password' })).status).toBe(401)
  expect(await login(owner)).toBe(200)
  expect((await visitor(world).login(member)).status).toBe(200) // in the user's own organization
  expect((await signIn(world, own, of('dev', {}, own))).cookie).toBeDefined()

  await world.db.update(memberships).set({ role: 'ADMIN' }).where(eq(memberships.id, breakGlass))
  expect(await login(member)).toBe(200) // no designated owner remains, so passwords are allowed again
})

test('the operator’s provider signs in users of its domains into the configured organization', async () => {
  const issuer = await startIssuer()
  await using own = await startHttpWorld(undefined, {
    ...allow,
    oidc: {
      SLUICE_OIDC_ISSUER: issuer.url,
      SLUICE_OIDC_CLIENT_ID: clientId,
      SLUICE_OIDC_CLIENT_SECRET: 'secret',
      SLUICE_OIDC_NAME: 'Example ID',
      SLUICE_OIDC_DOMAINS: 'example.com',
      SLUICE_OIDC_ORGANIZATION: 'acme',
      SLUICE_OIDC_GROUP_ROLES: 'ops=ADMIN',
      SLUICE_OIDC_DEFAULT_ROLE: 'VIEWER',
    },
  })
  await visitor(own).register('boss@other.example', { organizationName: 'Acme', password })
  expect((await own.ask('/auth/sign-in-methods')).body).toEqual({
    data: { installationProvider: 'Example ID', note: expect.stringContaining('ops@') },
  })
  const enter = async (said: Said) => {
    const begun = await begin(own, {})
    issuer.onCode(async () => ({
      access_token: 'x',
      token_type: 'bearer',
      id_token: await issuer.sign({ aud: clientId, nonce: begun.asked.nonce, ...said }),
    }))
    return openCallback(own, begun, { code: 'code', state: begun.asked.state ?? '', iss: issuer.url })
  }
  const { cookie = '' } = await enter({ ...ada, groups: ['ops'] })
  const { body } = await own.ask('/auth/whoami', { headers: { cookie } })
  expect(body.data).toMatchObject({ organizationName: 'Acme', role: 'ADMIN', email: ada.email })
  expect((await enter({ ...ada, sub: 'eve', email: 'boss@other.example' })).refused).toBe('signInDomainForeign')
  await issuer.close()
})

test('a secret is never returned, and a provider in the server’s own network is not contacted', async () => {
  const shown = JSON.stringify(await org.client.done('GET', `/identity-providers/${org.providerId}`))
  expect(shown).not.toMatch(/secret/i)
  const member = await addMember(world.db, org.organizationId, 'ADMIN')
  const data = { clientSecret: 'stolen' }
  const path = `/identity-providers/${org.providerId}`
  const { status } = await world.ask(path, {
    key: member,
    method: 'PATCH',
    body: JSON.stringify({ data }),
    headers: { 'content-type': 'application/json' },
  })
  expect(status).toBe(403)
  await using guarded = await startHttpWorld(undefined, { limits: plenty })
  const walled = await organizationWithProvider(guarded)
  await expect(begin(guarded, { organization: walled.organizationId })).rejects.toThrow(
    apiErrors.issuerUnreachable.code,
  )
  expect(walled.issuer.asked).toEqual([])
})
