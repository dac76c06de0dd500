import { apiErrors } from '@sluice/contract'
import { expect, onTestFinished, test } from 'vitest'
import type { App } from '../../platform/http/app.ts'
import { listenWithoutTrustedProxies } from '../../platform/http/connections/untrusting-listener.ts'
import { newId } from '../../platform/ids.ts'
import { type HttpWorldOptions, seedOrganization, startHttpWorld } from '../../testing/http-world.ts'
import { cookieOf, password, plenty, visitor } from '../../testing/visitor.ts'

type World = Awaited<ReturnType<typeof startHttpWorld>>

async function worldOfItsOwn(wishes: HttpWorldOptions, addRoutes?: (app: App) => void): Promise<World> {
  const own = await startHttpWorld(addRoutes, wishes)
  onTestFinished(() => own[Symbol.asyncDispose]())
  return own
}

test('ten wrong passwords from an address block even the right one from there, whether the account exists or not', async () => {
  const own = await worldOfItsOwn({ registration: 'open' })
  await visitor(own).register('ada@example.com')
  await visitor(own).login('ada@example.com')
  const statusesFor = async (email: string) => {
    const statuses: number[] = []
    for (let round = 0; round < 11; round += 1) {
      statuses.push((await visitor(own).login(email, { password: 'another long password' })).status)
    }
    return statuses
  }
  const expected = [...Array.from({ length: 10 }, () => 401), 429]
  expect(await statusesFor('ada@example.com')).toEqual(expected)
  expect(await statusesFor('nobody@example.com')).toEqual(expected)
  const { status, body, headers } = await visitor(own).login('ada@example.com')
  expect(status).toBe(429)
  expect(body.code).toBe(apiErrors.rateLimited.code)
  expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
})

test('password guessing does not lock out the owner, who signs in from elsewhere', async () => {
  const own = await worldOfItsOwn({ registration: 'open', trustedProxies: ['127.0.0.0/8'] })
  await visitor(own).register('ada@example.com')
  const login = async (from: string, secret: string) =>
    (
      await visitor(own).post(
        '/auth/login',
        { email: 'ada@example.com', password: secret },
        { 'x-forwarded-for': from },
      )
    ).status
  for (let round = 0; round < 11; round += 1) await login('192.0.2.1', 'another long password')
  expect(await login('192.0.2.1', password)).toBe(429)
  expect(await login('192.0.2.2', password)).toBe(200)
})

test('guesses from many addresses count together, and the owner can still sign in from a known address', async () => {
  const own = await worldOfItsOwn({ registration: 'open', trustedProxies: ['127.0.0.0/8'] })
  await visitor(own).register('ada@example.com')
  const login = async (from: string, secret: string) => {
    const body = { email: 'ada@example.com', password: secret }
    return (await visitor(own).post('/auth/login', body, { 'x-forwarded-for': from })).status
  }
  expect(await login('192.0.2.1', password)).toBe(200)
  const statuses: number[] = []
  for (let last = 1; last <= 40; last += 1) statuses.push(await login(`198.51.100.${last}`, 'another long password'))
  expect(statuses).toEqual([...Array.from({ length: 25 }, () => 401), ...Array.from({ length: 15 }, () => 429)])
  expect(await login('198.51.100.99', password)).toBe(429)
  expect(await login('192.0.2.1', password)).toBe(200)
})

test('a step on the machine of a trusted proxy cannot spoof its address', async () => {
  const made = Promise.withResolvers<App>()
  const own = await worldOfItsOwn({ registration: 'open', trustedProxies: ['127.0.0.1'] }, made.resolve)
  await visitor(own).register('ada@example.com')
  const { url, close } = await listenWithoutTrustedProxies(await made.promise, { port: 0, host: '127.0.0.1' })
  onTestFinished(close)
  const login = (from: string, secret: string) =>
    fetch(`${url}/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': from, forwarded: `for=${from}` },
      body: JSON.stringify({ data: { email: 'ada@example.com', password: secret } }),
    })
  const signedIn = await login('203.0.113.7', password)
  const audit = await own.ask('/audit-events', { headers: { cookie: cookieOf(signedIn.headers) } })
  expect(audit.body.data[0]).toMatchObject({ action: 'sessions.create', ipAddress: '127.0.0.1' })
  const statuses: number[] = []
  for (let last = 1; last <= 11; last += 1) {
    statuses.push((await login(`198.51.100.${last}`, 'another long password')).status)
  }
  expect(statuses).toEqual([...Array.from({ length: 10 }, () => 401), 429])
})

test('an address behind a trusted proxy is limited separately, and a spoofed one is not', async () => {
  const limits = { ...plenty, passwordsByAddress: { failures: 2, withinSeconds: 60 } }
  const guess = (at: World, from: string) =>
    visitor(at).post('/auth/login', { email: `${newId('usr')}@example.com`, password }, { 'x-forwarded-for': from })
  const trusting = await worldOfItsOwn({ limits, trustedProxies: ['127.0.0.0/8'] })
  for (const from of ['192.0.2.1', '192.0.2.1']) expect((await guess(trusting, from)).status).toBe(401)
  expect((await guess(trusting, '192.0.2.1')).status).toBe(429)
  expect((await guess(trusting, '192.0.2.2')).status).toBe(401)

  const careful = await worldOfItsOwn({ limits })
  for (const from of ['192.0.2.1', '192.0.2.2']) expect((await guess(careful, from)).status).toBe(401)
  expect((await guess(careful, '192.0.2.3')).status).toBe(429)
})

test('a client with invalid keys is throttled, and valid keys from the same address still work', async () => {
  const own = await worldOfItsOwn({ limits: { credentialsByAddress: { failures: 3, withinSeconds: 60 } } })
  const owner = await seedOrganization(own.db)
  const bad = async () => (await own.ask('/auth/whoami', { key: `slc_${'x'.repeat(43)}` })).status
  expect([await bad(), await bad(), await bad(), await bad()]).toEqual([401, 401, 401, 429])
  expect((await own.ask('/auth/whoami', { key: owner.key })).status).toBe(200)
  expect((await own.ask('/auth/whoami')).status).toBe(401)
})

test('a client with invalid session cookies is throttled like one with invalid keys', async () => {
  const own = await worldOfItsOwn({ limits: { credentialsByAddress: { failures: 3, withinSeconds: 60 } } })
  const cookie = `sluice_session=sls_${'x'.repeat(43)}`
  const bad = async () => (await own.ask('/auth/whoami', { headers: { cookie } })).status
  expect([await bad(), await bad(), await bad(), await bad()]).toEqual([401, 401, 401, 429])
})
