import { apiErrors, type Session } from '@sluice/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newId } from '../../platform/ids.ts'
import { eventually } from '../../testing/eventually.ts'
import { startHttpWorld } from '../../testing/http-world.ts'
import { cookieOf, plenty, visitor } from '../../testing/visitor.ts'

let world: Awaited<ReturnType<typeof startHttpWorld>>
beforeAll(async () => {
  world = await startHttpWorld(undefined, { registration: 'open', limits: plenty })
})
afterAll(() => world?.[Symbol.asyncDispose]())

const signIn = async (email: string, browser: string) => {
  const data = { email, password: 'correct horse battery staple' }
  return cookieOf((await visitor(world).post('/auth/login', data, { 'user-agent': browser })).headers)
}

/** Registers a user who is signed in with two browsers. */
async function twoBrowsers() {
  const email = `${newId('usr')}@example.com`
  await visitor(world).register(email)
  return { here: await signIn(email, 'Firefox'), there: await signIn(email, 'Safari') }
}

const sessionsOf = async (cookie: string): Promise<Session[]> =>
  (await world.ask('/sessions', { headers: { cookie } })).body.data
const end = (id: string, cookie: string) =>
  world.ask(`/sessions/${id}`, { method: 'DELETE', headers: { cookie, 'x-sluice-csrf': '1' } })
const statusOf = async (cookie: string) => (await world.ask('/auth/whoami', { headers: { cookie } })).status

test('a user sees their sessions and which one is current', async () => {
  const { here } = await twoBrowsers()
  expect(await sessionsOf(here)).toEqual([
    expect.objectContaining({ userAgent: 'Safari', ipAddress: '127.0.0.1', isCurrent: false }),
    expect.objectContaining({ userAgent: 'Firefox', ipAddress: '127.0.0.1', isCurrent: true }),
  ])
})

test('a session that its user ends stops at once, and others continue', async () => {
  const { here, there } = await twoBrowsers()
  const other = (await sessionsOf(here)).find(({ isCurrent }) => !isCurrent)
  expect((await end(other?.id ?? '', here)).status).toBe(204)
  expect([await statusOf(there), await statusOf(here)]).toEqual([401, 200])
  expect(await sessionsOf(here)).toHaveLength(1)
})

test('a user cannot see or end sessions of others', async () => {
  const [ada, bob] = [await twoBrowsers(), await twoBrowsers()]
  const [hers] = await sessionsOf(ada.here)
  expect((await sessionsOf(bob.here)).map(({ id }) => id)).not.toContain(hers?.id)
  const { status, body } = await end(hers?.id ?? '', bob.here)
  expect([status, body.code]).toEqual([404, apiErrors.sessionNotFound.code])
  expect(await statusOf(ada.there)).toBe(200)
})

test('sessions last as long as the operator configured', async () => {
  await using brief = await startHttpWorld(undefined, {
    registration: 'open',
    sessionLife: { unusedS: 1, longestS: 3_600 },
  })
  await visitor(brief).register('ada@example.com')
  const { headers } = await visitor(brief).login('ada@example.com')
  expect(headers.getSetCookie()[0]).toContain('Max-Age=1;')
  const cookie = cookieOf(headers)
  const status = async () => (await brief.ask('/auth/whoami', { headers: { cookie } })).status
  await eventually('the session to expire', status, (seen) => seen === 401)
})
