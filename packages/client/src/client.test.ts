import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, expectTypeOf, test } from 'vitest'
import { type ChangeEvent, followChanges } from './changes.ts'
import { createClient } from './client.ts'
import type { ApiError } from './error.ts'
import { rowsOf } from './rows.ts'
import { waitForDeployment } from './wait.ts'

type Seen = { method?: string | undefined; url?: string | undefined; headers: Record<string, unknown>; body: string }

let seen: Seen
let next: { status: number; headers?: Record<string, string>; body: string }
const server = createServer(async (request, response) => {
  const chunks = await request.toArray()
  const { method, url, headers } = request
  seen = { method, url, headers, body: Buffer.concat(chunks).toString() }
  response.writeHead(next.status, next.headers).end(next.body)
})
let baseUrl: string
beforeAll(
  () =>
    new Promise<void>((resolve) =>
      server.listen(0, '127.0.0.1', () => {
        baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
        resolve()
      }),
    ),
)
afterAll(() => new Promise((resolve) => server.close(resolve)))

const client = () => createClient({ baseUrl, token: 'slc_x', retry: false })

test('a request goes to the encoded path of its operation', async () => {
  next = { status: 200, body: '{"data":{}}' }
  const address = 'module.web["a/b"].app[0]'
  await client().getIacResourceChangeSummary({
    params: { address },
    query: { pipelineId: 'pl_1', startRunId: 'run 1' },
  })
  expect(seen).toMatchObject({
    method: 'GET',
    url: '/iac-resources/module.web%5B%22a%2Fb%22%5D.app%5B0%5D/change-summary?pipelineId=pl_1&startRunId=run+1',
    headers: { authorization: 'Bearer slc_x' },
    body: '',
  })
  await client().listDeployments({ query: { status: ['SUCCESS', 'ERROR'], limit: 5 } })
  expect(seen.url).toBe('/deployments?status=SUCCESS&status=ERROR&limit=5')
})

test('a body is sent as JSON, and a response without one is undefined', async () => {
  next = { status: 201, body: '{"data":{"id":"dep_1"}}' }
  const data = { moduleInstanceId: 'mi_1', description: 'x' }
  const created = await client().createDeployment({ body: { data } }, { idempotencyKey: 'once' })
  expectTypeOf(created.data.status).toEqualTypeOf<
    'PENDING' | 'IN_PROGRESS' | 'SUCCESS' | 'ERROR' | 'CANCELLED' | 'ROLLING_BACK' | 'ROLLED_BACK'
  >()
  expect(created).toEqual({ data: { id: 'dep_1' } })
  expect(JSON.parse(seen.body)).toEqual({ data })
  expect(seen.headers).toMatchObject({ 'content-type': 'application/json', 'idempotency-key': 'once' })
  next = { status: 204, body: '' }
  expect(await client().deleteProject({ params: { id: 'prj_1' } })).toBeUndefined()
})

test('an error response is thrown with its status, error and retry time', async () => {
  const error = { code: 'Sluice:Request:RATE_LIMITED', message: 'Too many.' }
  next = { status: 429, headers: { 'retry-after': '7' }, body: JSON.stringify(error) }
  const refused = await client()
    .whoami()
    .catch((thrown: ApiError) => thrown)
  expect(refused).toMatchObject({ name: 'ApiError', status: 429, error, retryAfterMs: 7_000, message: 'Too many.' })
})

test('a response that is not from the service is also an error', async () => {
  next = { status: 502, body: '<html>Bad gateway</html>' }
  await expect(client().whoami()).rejects.toMatchObject({ status: 502, error: { code: 'Sluice:Client:NO_ANSWER' } })
  next = { status: 200, body: '<html>Welcome</html>' }
  await expect(client().whoami()).rejects.toMatchObject({ status: 200, error: { code: 'Sluice:Client:NO_ANSWER' } })
})

/** Returns a client for a server that sends these responses in order and repeats the last one. */
function answering(...replies: (Response | Error)[]) {
  const requests: { url: string; key: string | null }[] = []
  const answer: typeof fetch = async (url, init) => {
    requests.push({ url: String(url), key: new Headers(init?.headers).get('idempotency-key') })
    const reply = (replies.length > 1 ? replies.shift() : replies[0]) ?? new Error('nothing is left to answer')
    if (reply instanceof Error) throw reply
    return reply.clone()
  }
  return { requests, options: { baseUrl: 'http://sluice.test', fetch: answer } }
}

const away = () => new Response('', { status: 503, headers: { 'retry-after': '0.001' } })
const lost = () => new TypeError('fetch failed')
const created = () => Response.json({ data: { id: 'dep_1' } }, { status: 201 })
const someBody = { body: { data: { moduleInstanceId: 'mi_1', description: 'x' } } }

test('a create operation is retried with one idempotency key, whether or not the first attempt arrived', async () => {
  const { requests, options } = answering(lost(), away(), created())
  expect(await createClient(options).createDeployment(someBody)).toEqual({ data: { id: 'dep_1' } })
  const keys = new Set(requests.map(({ key }) => key))
  expect([requests.length, keys.size]).toEqual([3, 1])
  expect([...keys][0]).toMatch(/^[0-9a-f]{32}$/)
})

test('an operation that is not idempotent is retried only after a rate limit', async () => {
  const cancelling = answering(away(), created())
  await expect(createClient(cancelling.options).cancelDeployment({ params: { id: 'x' } })).rejects.toThrow('503')
  const tooMany = new Response('', { status: 429, headers: { 'retry-after': '0.001' } })
  const limited = answering(tooMany, created())
  await createClient(limited.options).cancelDeployment({ params: { id: 'x' } })
  expect([cancelling.requests.length, limited.requests.length]).toEqual([1, 2])
})

test('an error response is final, as is any failure with retries disabled', async () => {
  const refused = answering(Response.json({ code: 'Sluice:Request:INVALID', message: 'No.' }, { status: 422 }))
  await expect(createClient(refused.options).whoami()).rejects.toThrow('No.')
  const { requests, options } = answering(away())
  await expect(createClient({ ...options, retry: false }).whoami()).rejects.toThrow('503')
  await expect(createClient(options).whoami({}, { retry: { forMs: 0 } })).rejects.toThrow('503')
  expect([refused.requests.length, requests.length]).toEqual([1, 2])
})

test('a listener of the first failure can abort the retries', async () => {
  const { requests, options } = answering(lost())
  const called = new AbortController()
  const retry = { forMs: 60_000, told: () => called.abort(new Error('enough')) }
  await expect(createClient(options).whoami({}, { retry, signal: called.signal })).rejects.toThrow('enough')
  expect(requests).toHaveLength(1)
})

test('the rows of a list come page by page, and unread pages are not requested', async () => {
  const page = (ids: string[], nextCursor: string) =>
    Response.json({ data: ids.map((id) => ({ id })), meta: { nextCursor } })
  const { requests, options } = answering(page(['a', 'b'], 'next'), page(['c'], ''))
  const rows = rowsOf(createClient(options), 'listDeployments', { query: { status: ['ERROR'] } })
  const { value: first } = await rows.next()
  if (first) expectTypeOf(first.moduleInstanceId).toEqualTypeOf<string>()
  expect([first?.id, requests.length]).toEqual(['a', 1])
  expect((await Array.fromAsync(rows)).map(({ id }) => id)).toEqual(['b', 'c'])
  expect(requests.map(({ url }) => new URL(url).search)).toEqual([
    '?limit=100&status=ERROR',
    '?limit=100&status=ERROR&cursor=next',
  ])
})

test('waiting ends when a deployment pauses or ends, and fails on timeout', async () => {
  const at = (status: string, data = {}) => Response.json({ data: { id: 'dep_1', status, data } })
  const paused = at('IN_PROGRESS', { events: [{ stepCode: 'PAUSED', hookId: 'hook_1' }] })
  const { options } = answering(at('PENDING'), lost(), away(), paused)
  const quickly = { everyMs: 1 }
  const asking = await waitForDeployment(createClient(options), 'dep_1', { ...quickly, until: 'asking' })
  expect(asking.status).toBe('IN_PROGRESS')
  const ending = createClient(answering(at('PENDING'), at('ROLLED_BACK')).options)
  expect(await waitForDeployment(ending, 'dep_1', quickly)).toMatchObject({ status: 'ROLLED_BACK' })
  await expect(waitForDeployment(createClient(options), 'dep_1', { ...quickly, timeoutMs: 5 })).rejects.toMatchObject({
    name: 'TimeIsUp',
    last: { status: 'IN_PROGRESS' },
  })
})

test('changes are yielded as they come, and resume after a lost connection', async () => {
  const streamed = (text: string) => new Response(text)
  const told = { resource: 'deployments', id: 'dep_1', belongsTo: {}, changedAt: '2026-01-01T00:00:00Z' }
  const { requests, options } = answering(
    streamed('id: 1\nevent: reset\ndata: {}\n\n'),
    lost(),
    streamed(`id: 2\ndata: ${JSON.stringify([told])}\n\n`),
  )
  const events: ChangeEvent[] = []
  for await (const event of followChanges(options)) {
    events.push(event)
    if (events.length === 2) break
  }
  expect(events).toEqual([
    { id: '1', reset: true, changes: [] },
    { id: '2', reset: false, changes: [told] },
  ])
  expect(requests.map(({ url }) => new URL(url).search)).toEqual(['', '?lastEventId=1', '?lastEventId=1'])
})
