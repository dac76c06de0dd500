import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, expectTypeOf, test } from 'vitest'
import { createClient } from './client.ts'
import type { ApiError } from './error.ts'

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

const client = () => createClient({ baseUrl, token: 'slc_x' })

test('a request goes to the path of its operation, with everything encoded', async () => {
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

test('a body is sent as JSON, and an answer without one is undefined', async () => {
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

test('a refusal is thrown with its status, its error and when to try again', async () => {
  const error = { code: 'Sluice:Request:RATE_LIMITED', message: 'Too many.' }
  next = { status: 429, headers: { 'retry-after': '7' }, body: JSON.stringify(error) }
  const refused = await client()
    .whoami()
    .catch((thrown: ApiError) => thrown)
  expect(refused).toMatchObject({ name: 'ApiError', status: 429, error, retryAfterMs: 7_000, message: 'Too many.' })
})

test('an answer that is not the service’s is an error all the same', async () => {
  next = { status: 502, body: '<html>Bad gateway</html>' }
  await expect(client().whoami()).rejects.toMatchObject({ status: 502, error: { code: 'Sluice:Client:NO_ANSWER' } })
  next = { status: 200, body: '<html>Welcome</html>' }
  await expect(client().whoami()).rejects.toMatchObject({ status: 200, error: { code: 'Sluice:Client:NO_ANSWER' } })
})
