import { request as httpRequest } from 'node:http'
import { apiErrors, routes } from '@sluice/contract'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { everyCase } from '../../../../../testing/every-case.ts'
import { hashOf } from '../../platform/auth/token.ts'
import { and, eq } from '../../platform/db/drizzle.ts'
import { handle } from '../../platform/http/handle.ts'
import { newId } from '../../platform/ids.ts'
import { eventually } from '../../testing/eventually.ts'
import {
  type HttpWorldOptions,
  probeOf,
  seedOrganization,
  defaultSessionLife as sessionLife,
  startHttpWorld,
} from '../../testing/http-world.ts'
import { cookieOf, password, plenty, visitor } from '../../testing/visitor.ts'
import { auditEvents } from '../audit-events/tables.ts'
import { deleteExpiredDeviceSignIns } from '../device-sign-ins/store.ts'
import { deviceSignIns } from '../device-sign-ins/tables.ts'
import { insertMembership } from '../memberships/store.ts'
import { identities, memberships, organizations, users } from '../organizations/tables.ts'
import { sessions } from '../sessions/tables.ts'

type World = Awaited<ReturnType<typeof startHttpWorld>>

const csrf = { 'x-sluice-csrf': '1' }

let world: World
beforeAll(async () => {
  world = await startHttpWorld(undefined, { registration: 'open', limits: plenty })
  await register(ada)
})
afterAll(() => world?.[Symbol.asyncDispose]())

async function worldOfItsOwn(wishes: HttpWorldOptions = {}): Promise<World> {
  const own = await startHttpWorld(undefined, wishes)
  onTestFinished(() => own[Symbol.asyncDispose]())
  return own
}

/** User that no test changes. */
const ada = 'ada@example.com'
const newEmail = () => `${newId('usr')}@example.com`

const post = (path: string, data: unknown, headers?: Record<string, string>, at = world) =>
  visitor(at).post(path, data, headers)
const register = (email: string, change = {}, at = world) => visitor(at).register(email, change)
const login = (email: string, change = {}, at = world) => visitor(at).login(email, change)

/** Registers a user with an organization and returns a session cookie. */
async function signedIn(email = newEmail()): Promise<{ cookie: string; email: string }> {
  await register(email)
  return { cookie: cookieOf((await login(email)).headers), email }
}

/** Returns the cookie of another session of the same user. */
const adasCookie = async () => cookieOf((await login(ada)).headers)

const statusOf = async (cookie: string) => (await world.ask('/auth/whoami', { headers: { cookie } })).status

test('a registered user can sign in and owns the organization', async () => {
  const email = newEmail()
  const registered = await register(email.toUpperCase())
  expect(registered.status).toBe(201)
  expect(registered.body).toEqual({ data: { email, organizationName: 'Acme' } })
  const { status, body, headers } = await login(email.toUpperCase())
  expect(status).toBe(200)
  expect(body.data).toMatchObject({
    authSource: 'COOKIE',
    identityType: 'EMAIL_PASSWORD',
    identityId: expect.stringMatching(/^idn_/),
    principalType: 'MEMBERSHIP',
    role: 'OWNER',
    globalRole: 'USER',
    email,
    fullName: 'Ada',
    organizationName: 'Acme',
  })
  const whoami = await world.ask('/auth/whoami', { headers: { cookie: cookieOf(headers) } })
  expect(whoami.body).toEqual(body)
})

test('organizations with the same name get different givenIds', async () => {
  for (const organizationName of ['Zoë & Söhne', 'Zoë & Söhne', '東京'])
    await register(newEmail(), { organizationName })
  const rows = await world.db.select().from(organizations)
  const givenIds = rows.map(({ givenId }) => givenId)
  expect(givenIds).toEqual(expect.arrayContaining(['zoe-so-hne', expect.stringMatching(/^zoe-so-hne-[0-9a-f]{12}$/)]))
  for (const givenId of givenIds) expect(givenId).toMatch(/^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/)
})

test(
  'an invalid registration is rejected',
  everyCase(
    [
      ['a password of 11 characters', { password: 'x'.repeat(11) }],
      ['a password of 201 characters', { password: 'x'.repeat(201) }],
      ['an email without @', { email: 'ada.example.com' }],
      ['an empty name', { fullName: '' }],
      ['an extra property', { role: 'OWNER' }],
    ],
    async (_what, change) => {
      expect((await register(newEmail(), change)).status).toBe(400)
    },
  ),
)

test('the first user can register, then registration is closed; device codes are limited per address', async () => {
  const own = await worldOfItsOwn()
  await seedOrganization(own.db) // an owner with only a key, as in a first start
  const firsts = await Promise.all(['a@b.example', 'c@d.example'].map((email) => register(email, {}, own)))
  expect(firsts.map(({ status }) => status).toSorted()).toEqual([201, 403])
  const refused = await register('e@f.example', {}, own)
  expect(refused.status).toBe(403)
  expect(refused.body.code).toBe(apiErrors.registrationClosed.code)
  expect(await own.db.$count(identities)).toBe(1)
  const statuses: number[] = []
  for (let asked = 0; asked < 11; asked += 1) {
    statuses.push((await post('/auth/device', { clientName: 'x' }, {}, own)).status)
  }
  expect(statuses).toEqual([...Array(10).fill(201), 429])
})

test('registration with a known email address and a wrong password has the same response and no effect', async () => {
  const email = ada
  const before = await world.db.$count(organizations)
  const { status, body } = await register(email, { password: 'another long password' })
  expect(status).toBe(201)
  expect(body).toEqual({ data: { email, organizationName: 'Acme' } })
  expect(await world.db.$count(organizations)).toBe(before)
  expect((await login(email, { password: 'another long password' })).status).toBe(401)
  expect((await login(email)).status).toBe(200)
})

test('a known user with the right password gets another organization and selects it by id', async () => {
  const { email } = await signedIn()
  await register(email, { organizationName: 'Second' })
  const [user] = await world.db.select().from(users).where(eq(users.email, email))
  const mine = await world.db
    .select()
    .from(memberships)
    .where(eq(memberships.userId, user?.id ?? ''))
  expect(mine).toHaveLength(2)
  for (const { organizationId } of mine) {
    expect((await login(email, { organizationId })).body.data.organizationId).toBe(organizationId)
  }
  const first = mine.map(({ id }) => id).toSorted()[0]
  expect((await login(email)).body.data.membershipId).toBe(first)
})

test('a failed sign-in does not reveal the reason', async () => {
  const stranger = await seedOrganization(world.db)
  const answers = [
    await login(ada, { password: 'another long password' }),
    await login('nobody@example.com'),
    await login(`${stranger.userId}@example.com`), // has no password
    await login(ada, { organizationId: stranger.organizationId }),
    await login(ada, { organizationId: 'org_nowhere' }),
  ]
  for (const { status, body, headers } of answers) {
    expect(status).toBe(401)
    expect({ ...body, requestId: '' }).toEqual({ ...answers[0]?.body, requestId: '' })
    expect(body.code).toBe(apiErrors.signInFailed.code)
    expect(headers.getSetCookie()).toEqual([])
  }
})

test('an unknown email address takes as long as a wrong password', async () => {
  // Measures processor time of all threads, which other processes do not affect.
  const msOf = async (who: string) => {
    const begin = process.cpuUsage()
    await login(who, { password: 'another long password' })
    const { user, system } = process.cpuUsage(begin)
    return (user + system) / 1_000
  }
  const known: number[] = []
  const unknown: number[] = []
  for (let round = 0; round < 7; round += 1) {
    known.push(await msOf(ada))
    unknown.push(await msOf('nobody@example.com'))
  }
  // A hash dominates the time; without it, an unknown email address would be obvious. The minimum excludes noise.
  expect(Math.min(...unknown)).toBeGreaterThan(Math.min(...known) / 3)
  expect(Math.min(...unknown)).toBeLessThan(Math.min(...known) * 3)
})

/** Returns the `set-cookie` header of a sign-in with another host name. */
async function signInAt(host: string): Promise<string> {
  const { port, hostname } = new URL(world.url)
  const headers = { host, 'content-type': 'application/json' }
  return new Promise((resolve, reject) => {
    const request = httpRequest({ host: hostname, port, path: '/auth/login', method: 'POST', headers }, (response) => {
      response.resume()
      resolve(response.headers['set-cookie']?.join('\n') ?? '')
    })
    request.on('error', reject).end(JSON.stringify({ data: { email: ada, password } }))
  })
}

test(
  'a session cookie is valid for its host only',
  everyCase(
    [
      ['localhost:4600', ''],
      ['127.0.0.1', ''],
      ['[::1]:4600', ''],
      ['sluice.example', '; Secure'],
      ['localhost.example', '; Secure'],
    ],
    async (host, secure) => {
      const flags = `Max-Age=1209600; Path=/; HttpOnly${secure}; SameSite=Lax`
      expect(await signInAt(host)).toMatch(new RegExp(`^sluice_session=sls_[\\w-]{43}; ${flags}$`))
    },
  ),
)

test('a session is extended with every use and expires when unused', async () => {
  const { cookie, email } = await signedIn()
  const [session] = await world.db
    .select({ id: sessions.id })
    .from(sessions)
    .innerJoin(memberships, eq(memberships.id, sessions.membershipId))
    .innerJoin(users, eq(users.id, memberships.userId))
    .where(eq(users.email, email))
  const isIt = eq(sessions.id, session?.id ?? '')
  const yesterday = new Date(Date.now() - 86_400_000)
  await world.db
    .update(sessions)
    .set({ lastUsedAt: yesterday, expiresAt: new Date(Date.now() + 60_000) })
    .where(isIt)

  const used = await world.ask('/auth/whoami', { headers: { cookie } })
  expect(used.headers.getSetCookie()).toEqual([expect.stringContaining(`${cookie}; Max-Age=${sessionLife.unusedS};`)])
  const [extended] = await world.db.select().from(sessions).where(isIt)
  expect(extended?.expiresAt.getTime()).toBeGreaterThan(Date.now() + (sessionLife.unusedS - 60) * 1000)

  await world.db
    .update(sessions)
    .set({ expiresAt: new Date(Date.now() - 1000) })
    .where(isIt)
  await eventually(
    'the session to be over',
    () => statusOf(cookie),
    (status) => status === 401,
  )
})

test('a session expires after its maximum lifetime, even if used', async () => {
  const cookie = await adasCookie()
  const tokenHash = hashOf(cookie.split('=')[1] ?? '')
  const isIt = eq(sessions.tokenHash, tokenHash)
  const ago = (ms: number) => new Date(Date.now() - ms)
  const yesterday = ago(86_400_000)
  await world.db
    .update(sessions)
    .set({ createdAt: ago(sessionLife.longestS * 1000 - 120_000), lastUsedAt: yesterday })
    .where(isIt)
  await eventually(
    'the session to count',
    () => statusOf(cookie),
    (status) => status === 200,
  )
  const endOfSession = async () => (await world.db.select().from(sessions).where(isIt))[0]?.expiresAt.getTime() ?? 0
  await eventually('the session to end in two minutes', endOfSession, (endsAt) => endsAt < Date.now() + 121_000)
  const expiresAt = new Date(Date.now() + 60_000) // as a session extended just now
  await world.db
    .update(sessions)
    .set({ createdAt: ago(sessionLife.longestS * 1000 + 1000), expiresAt })
    .where(isIt)
  await eventually(
    'the session to be over',
    () => statusOf(cookie),
    (status) => status === 401,
  )
})

test('signing out ends the session and deletes the cookie', async () => {
  const [cookie, other] = [await adasCookie(), await adasCookie()]
  const { status, headers } = await world.ask('/auth/logout', { method: 'POST', headers: { cookie, ...csrf } })
  expect(status).toBe(204)
  expect(headers.getSetCookie()).toEqual([expect.stringMatching(/^sluice_session=; Max-Age=0; Path=\/; HttpOnly;/)])
  expect(await statusOf(cookie)).toBe(401)
  expect(await statusOf(other)).toBe(200)
})

test('signing out with a key has no effect', async () => {
  const owner = await seedOrganization(world.db)
  expect((await world.ask('/auth/logout', { method: 'POST', key: owner.key })).status).toBe(204)
  expect((await world.ask('/auth/whoami', { key: owner.key })).status).toBe(200)
})

test('sessions are stored as hashes and recorded in the audit log', async () => {
  const { cookie, email } = await signedIn()
  const token = cookie.replace('sluice_session=', '')
  const rows = await world.db.select().from(sessions)
  expect(JSON.stringify(rows)).not.toContain(token)
  const events = await world.db
    .select()
    .from(auditEvents)
    .where(and(eq(auditEvents.actorName, email), eq(auditEvents.action, 'sessions.create')))
  expect(events).toEqual([expect.objectContaining({ actorType: 'MEMBERSHIP', ipAddress: '127.0.0.1' })])
})

test(
  'a change with a cookie is accepted only from Sluice’s own pages',
  everyCase(
    [
      ['nothing', {}, 403],
      ['the header', csrf, 204],
      ['the header with another value', { 'x-sluice-csrf': '0' }, 403],
      ['our own origin', { origin: 'OURS' }, 204],
      ['another origin', { origin: 'https://evil.example' }, 403],
      ['another port', { origin: 'http://127.0.0.1:1' }, 403],
      ['another scheme', { origin: 'HTTPS' }, 403],
      ['the origin of a sandbox', { origin: 'null' }, 403],
    ],
    async (_what, given, expected) => {
      const cookie = await adasCookie()
      const origins: Record<string, string> = { OURS: world.url, HTTPS: world.url.replace('http:', 'https:') }
      const headers = Object.fromEntries(Object.entries(given).map(([name, value]) => [name, origins[value] ?? value]))
      const { status, body } = await world.ask('/auth/logout', { method: 'POST', headers: { cookie, ...headers } })
      expect(status).toBe(expected)
      if (expected === 403) expect(body.code).toBe(apiErrors.crossSite.code)
      expect(await statusOf(cookie)).toBe(expected === 403 ? 200 : 401)
    },
  ),
)

test('reads with a cookie and changes with a key need no origin', async () => {
  const cookie = await adasCookie()
  const foreign = { origin: 'https://evil.example' }
  expect((await world.ask('/projects', { headers: { cookie, ...foreign } })).status).toBe(200)
  const owner = await seedOrganization(world.db)
  expect((await world.ask('/auth/logout', { method: 'POST', key: owner.key, headers: foreign })).status).toBe(204)
})

test('the public address is the accepted origin', async () => {
  const own = await worldOfItsOwn({ publicUrl: 'https://sluice.example/console', registration: 'open' })
  await register('a@b.example', {}, own)
  const cookie = cookieOf((await login('a@b.example', {}, own)).headers)
  const patch = (origin: string) =>
    own.ask('/users/me', {
      method: 'PATCH',
      body: '{"data":{"fullName":"Eve"}}',
      headers: { cookie, origin, 'content-type': 'application/json' },
    })
  expect((await patch('https://sluice.example')).status).toBe(200)
  expect((await patch(own.url)).status).toBe(403)
})

test('a form on another site cannot sign a user in', async () => {
  const body = JSON.stringify({ data: { email: ada, password } })
  for (const type of ['text/plain', 'application/x-www-form-urlencoded']) {
    const { status, headers } = await world.ask('/auth/login', {
      method: 'POST',
      body,
      headers: { 'content-type': type },
    })
    expect(status).toBe(415)
    expect(headers.getSetCookie()).toEqual([])
  }
})

test('a key takes precedence over a cookie', async () => {
  const cookie = await adasCookie()
  const owner = await seedOrganization(world.db)
  const { body } = await world.ask('/auth/whoami', { key: owner.key, headers: { cookie } })
  expect(body.data.authSource).toBe('API_KEY')
  expect((await world.ask('/auth/whoami', { key: 'slc_wrong', headers: { cookie } })).status).toBe(401)
})

test('a signed-in superadmin sees the cause of a 500 error, others do not', async () => {
  await using own = await startHttpWorld(
    (app) =>
      handle(app, probeOf(routes.createDeployment), async () => {
        throw new Error('the handler broke')
      }),
    { registration: 'open' },
  )
  const email = newEmail()
  await register(email, {}, own)
  const cookie = cookieOf((await login(email, {}, own)).headers)
  const deploy = () =>
    post('/probe/deployments', { description: '', moduleInstanceId: 'mi_1' }, { cookie, ...csrf }, own).then(
      ({ body }) => body,
    )
  expect(await deploy()).toEqual({
    action: expect.objectContaining({ label: 'What to do' }),
    code: apiErrors.internal.code,
    message: expect.not.stringContaining('broke'),
    requestId: expect.any(String),
  })
  await own.db.update(users).set({ globalRole: 'SUPERADMIN' }).where(eq(users.email, email))
  const isTold = (answer: Record<string, unknown>) => answer.isInternal === true
  const told = await eventually('the superadmin to be told', deploy, isTold)
  expect(told).toMatchObject({ metadata: { message: 'the handler broke' } })
})

test('a user without an organization cannot sign in', async () => {
  const { email, cookie } = await signedIn()
  const { organizationId, userId } = (await world.ask('/auth/whoami', { headers: { cookie } })).body.data
  await world.db.delete(memberships).where(eq(memberships.userId, userId))
  expect((await login(email)).status).toBe(401)
  await insertMembership(world.db, { organizationId, userId, role: 'VIEWER' })
  expect((await login(email)).body.data.role).toBe('VIEWER')
})

test('a device signs in once with a code that a user approves, and only the device gets the key', async () => {
  const { cookie, email } = await signedIn()
  const started = await post('/auth/device', { clientName: 'sluice login on laptop' })
  expect(started.status).toBe(201)
  const { deviceCode, userCode, verificationUriComplete, interval } = started.body.data
  expect(userCode).toMatch(/^[B-Z]{4}-[B-Z]{4}$/)
  expect(verificationUriComplete).toBe(`${world.url}/console/device?code=${userCode}`)
  expect(interval).toBe(5)
  const [row] = await world.db
    .select()
    .from(deviceSignIns)
    .where(eq(deviceSignIns.deviceCodeHash, hashOf(deviceCode)))
  expect(JSON.stringify(row)).not.toMatch(new RegExp(`${deviceCode}|${userCode}`))
  const take = () => post('/auth/device/token', { deviceCode })
  expect(await take()).toMatchObject({ status: 422, body: { code: apiErrors.authorizationPending.code } })
  expect(await take()).toMatchObject({ status: 429, body: { code: apiErrors.slowDown.code } })

  const decide = (data: object, headers: Record<string, string> = { cookie, ...csrf }) =>
    post('/auth/device/decision', { userCode, ...data }, headers)
  const entered = userCode.toLowerCase().replace('-', '')
  expect(await decide({ userCode: entered })).toMatchObject({
    status: 200,
    body: { data: { clientName: 'sluice login on laptop', status: 'PENDING', ipAddress: expect.any(String) } },
  })
  expect(await decide({ decision: 'APPROVE' })).toMatchObject({ status: 200, body: { data: { status: 'APPROVED' } } })
  expect(await decide({ decision: 'REJECT' })).toMatchObject({ status: 404 })
  const taken = await Promise.all([take(), take()])
  expect(taken.map(({ status }) => status).toSorted()).toEqual([200, 404])
  const { token, expiresAt } = taken.find(({ status }) => status === 200)?.body.data ?? {}
  expect(Date.parse(expiresAt)).toBeGreaterThan(Date.now() + 89 * 86_400_000)
  const me = await world.ask('/auth/whoami', { key: token })
  expect(me.body.data).toMatchObject({ email, identityType: 'API_KEY', principalType: 'MEMBERSHIP' })
  const { body } = await world.ask('/audit-events', { key: token })
  const lines = body.data.map(({ action, actorName }: { action: string; actorName: string }) => [action, actorName])
  expect(lines.slice(0, 2)).toEqual([
    ['api-keys.create', email],
    ['device-sign-ins.approve', email],
  ])
})

test('a rejected code signs no one in, a key cannot approve codes, and codes cannot be guessed', async () => {
  const { cookie } = await signedIn()
  const owner = await seedOrganization(world.db)
  const start = async () => (await post('/auth/device', { clientName: 'x' })).body.data
  const { deviceCode, userCode } = await start()
  const data = { userCode, decision: 'APPROVE' }
  const byKey = await post('/auth/device/decision', data, { authorization: `Bearer ${owner.key}` })
  expect(byKey).toMatchObject({ status: 403, body: { code: apiErrors.forbidden.code } })
  expect(await post('/auth/device/decision', data)).toMatchObject({ status: 401 })
  await post('/auth/device/decision', { userCode, decision: 'REJECT' }, { cookie, ...csrf })
  const refused = await post('/auth/device/token', { deviceCode })
  expect(refused).toMatchObject({ status: 403, body: { code: apiErrors.deviceAccessDenied.code } })
  const unknown = await post('/auth/device/decision', { userCode: 'BBBB-BBBB' }, { cookie, ...csrf })
  expect(unknown).toMatchObject({ status: 404, body: { code: apiErrors.deviceCodeExpired.code } })
  const over = await start()
  const isIt = eq(deviceSignIns.deviceCodeHash, hashOf(over.deviceCode))
  await world.db
    .update(deviceSignIns)
    .set({ expiresAt: new Date(Date.now() - 1) })
    .where(isIt)
  expect(await post('/auth/device/token', over.deviceCode && { deviceCode: over.deviceCode })).toMatchObject({
    status: 404,
  })
  await deleteExpiredDeviceSignIns(world.db, new Date())
  expect(await world.db.select().from(deviceSignIns).where(isIt)).toEqual([])
})
