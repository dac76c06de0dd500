import { apiErrors, type Limit, limitNames } from '@sluice/contract'
import { expect, onTestFinished, test } from 'vitest'
import { systemClock } from '../../platform/clock.ts'
import type { LimitValues } from '../../platform/limits/table.ts'
import { eventually } from '../../testing/eventually.ts'
import { type Answer, seedOrganization, startHttpWorld } from '../../testing/http-world.ts'

/** Starts an API whose rate limits never refill, so that counts do not depend on the machine's speed. */
async function worldWith(mosts: LimitValues) {
  const world = await startHttpWorld(undefined, { mosts, rateClock: { ...systemClock, monotonicMs: () => 0 } })
  onTestFinished(() => world[Symbol.asyncDispose]())
  return { ...world, owner: await seedOrganization(world.db), other: await seedOrganization(world.db) }
}

const limitOf = ({ status, headers, body }: Answer) => ({
  status,
  retryAfter: Number(headers.get('retry-after')),
  code: body.code,
  metadata: body.metadata,
})
const reached = (limit: string, most: number) => ({
  status: 429,
  retryAfter: expect.any(Number),
  code: apiErrors.rateLimited.code,
  metadata: { limit, most },
})

test('a key above its rate limit is rejected with the limit, the remedy and the retry time; other keys are unaffected', async () => {
  const { ask, owner, other } = await worldWith({ keyRequests: 5 })
  const askMany = (key: string) => Promise.all(Array.from({ length: 60 }, () => ask('/auth/whoami', { key })))
  const answers = await askMany(owner.key)
  const refused = answers.filter(({ status }) => status === 429)
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(50)
  const [first] = refused
  if (!first) throw new Error('none was refused')
  expect(limitOf(first)).toEqual(reached('keyRequests', 5))
  expect(limitOf(first).retryAfter).toBeGreaterThan(0)
  expect(first.body.description).toContain('retry-after')
  expect((await ask('/auth/whoami', { key: other.key })).status).toBe(200)
})

test('a client that retries at once gets at most one rejection per second and connection', async () => {
  const { ask, owner, other } = await worldWith({ requests: 1 })
  await Promise.all(Array.from({ length: 10 }, () => ask('/auth/whoami', { key: owner.key })))
  const begin = performance.now()
  const refused = await ask('/auth/whoami', { key: owner.key })
  expect(refused.status).toBe(429)
  expect(performance.now() - begin).toBeGreaterThan(900)
  expect((await ask('/auth/whoami', { key: other.key })).status).toBe(200)
})

test('a large body counts as several requests, whether its size is declared or not', async () => {
  const { ask, url, owner } = await worldWith({ requests: 2 })
  const body = JSON.stringify({ data: 'x'.repeat(200_000) })
  const headers = { 'content-type': 'application/json' }
  expect((await ask('/projects', { method: 'POST', key: owner.key, body, headers })).status).toBe(400)
  const response = await fetch(`${url}/projects`, {
    method: 'POST',
    headers: { ...headers, authorization: `Bearer ${owner.key}` },
    body: new Blob([body]).stream(),
    duplex: 'half',
  } as RequestInit)
  expect(response.status).toBe(429)
  expect(response.headers.get('connection'), 'what is left of the body is not waited for').toBe('close')
})

test('a key has a limit of event streams, and a closed stream frees one', async () => {
  const { url, ask, owner, other } = await worldWith({ keyStreams: 2 })
  const open = (key: string) => {
    const control = new AbortController()
    const headers = { authorization: `Bearer ${key}` }
    return fetch(`${url}/changes`, { headers, signal: control.signal }).then((response) => ({ response, control }))
  }
  const first = await open(owner.key)
  const second = await open(owner.key)
  expect(limitOf(await ask('/changes', { key: owner.key }))).toEqual(reached('keyStreams', 2))
  expect(limitOf(await ask('/audit-events/export', { key: owner.key })), 'an export is one').toEqual(
    reached('keyStreams', 2),
  )
  const elsewhere = await open(other.key)
  expect(elsewhere.response.status).toBe(200)
  first.control.abort()
  const openAgain = async () => {
    const opened = await open(owner.key)
    opened.control.abort()
    return opened.response.status
  }
  await eventually('the aborted stream to be counted no more', openAgain, (status) => status === 200)
  for (const { control } of [second, elsewhere]) control.abort()
})

test('all members can see the limits and their usage', async () => {
  const { ask, url, owner } = await worldWith({ keyRequests: 5, streams: 3, queuedRuns: 7 })
  const control = new AbortController()
  await fetch(`${url}/changes`, { headers: { authorization: `Bearer ${owner.key}` }, signal: control.signal })
  const { status, body } = await ask('/limits', { key: owner.key })
  control.abort()
  expect(status).toBe(200)
  const limits: Limit[] = body.data.limits
  expect(limits.map(({ name }) => name)).toEqual(limitNames)
  const shown = new Map<string, Limit>(limits.map((limit) => [limit.name, limit]))
  expect(shown.get('keyRequests')).toMatchObject({ per: 'key', max: 5, used: 1, isPerProcess: true })
  expect(shown.get('streams')).toMatchObject({ per: 'organization', max: 3, used: 1 })
  expect(shown.get('queuedRuns')).toMatchObject({ max: 7, used: 0, isPerProcess: false })
  expect(shown.get('storedStateBytes')).toMatchObject({ per: 'organization', max: null, used: 0 })
  expect(shown.get('runningSteps')).toMatchObject({ max: null, used: 0 })
})
