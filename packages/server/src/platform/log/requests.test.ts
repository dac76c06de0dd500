import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually } from '../../testing/eventually.ts'
import { type SeededOrganization, seedOrganization, startHttpWorld } from '../../testing/http-world.ts'
import { logRequests } from './requests.ts'
import { workIds } from './work.ts'

let world: Awaited<ReturnType<typeof startHttpWorld>>
let owner: SeededOrganization
beforeAll(async () => {
  world = await startHttpWorld((app) => {
    app.log.level = 'info'
    logRequests(app, { fromMs: 0, oneIn: 1 })
    app.post('/what-is-done', async () => workIds())
  })
  owner = await seedOrganization(world.db)
})
afterAll(() => world?.[Symbol.asyncDispose]())

const id = 'dep_01jz0000000000000000000000'
const lineOf = (requestId: string) =>
  eventually(
    'a line',
    async () => world.logged.map((line) => JSON.parse(line)).find(({ reqId }) => reqId === requestId),
    (line) => line !== undefined,
  )

test('a request is logged with its route, caller, record ids and status', async () => {
  const headers = { authorization: `Bearer ${owner.key}`, 'x-request-id': 'req-of-a-test' }
  await fetch(`${world.url}/deployments/${id}?include=analysis`, { headers })
  expect(await lineOf('req-of-a-test')).toMatchObject({
    method: 'GET',
    route: '/deployments/:id',
    id,
    organizationId: owner.organizationId,
    membershipId: owner.membershipId,
    status: 404,
    tookMs: expect.any(Number),
  })
})

test('only the ids of records are logged from a URL', async () => {
  const headers = { 'x-request-id': 'req-with-secrets' }
  await fetch(`${world.url}/deployments/hush-1?token=hush-2`, { headers })
  expect(await lineOf('req-with-secrets')).toMatchObject({ route: '/deployments/:id', status: 401 })
  await fetch(`${world.url}/hush-3`, { headers: { 'x-request-id': 'req-to-nowhere' } })
  expect(await lineOf('req-to-nowhere')).toMatchObject({ route: 'none', status: 404 })
  expect(world.logged.join('')).not.toContain('hush')
})

test('work that a request triggers can log the request id', async () => {
  const asked = (id: string) =>
    fetch(`${world.url}/what-is-done`, {
      method: 'POST',
      headers: { 'x-request-id': id, 'content-type': 'application/json' },
      body: '{}',
    }).then((answer) => answer.json())
  expect(await Promise.all([asked('req-1'), asked('req-2')])).toEqual([{ reqId: 'req-1' }, { reqId: 'req-2' }])
})

test('health checks are not logged', async () => {
  await fetch(`${world.url}/health/live`, { headers: { 'x-request-id': 'req-probe' } })
  await fetch(`${world.url}/deployments`, { headers: { 'x-request-id': 'req-after' } })
  await lineOf('req-after')
  expect(world.logged.join('')).not.toContain('req-probe')
})

test.each([
  ['has a line where it took as long as is wanted', 50, 1],
  ['has none where it was quicker', 3_600_000, 0],
])('a request %s', async (_, fromMs, count) => {
  const patient = await startHttpWorld((app) => {
    app.log.level = 'info'
    logRequests(app, { fromMs, oneIn: 1 })
    app.get('/slow', async () => {
      const from = performance.now()
      const passed = async () => performance.now() - from
      await eventually('time to pass', passed, (ms) => ms > 50)
      return 'slow'
    })
  })
  await fetch(`${patient.url}/slow`)
  await patient[Symbol.asyncDispose]()
  expect(patient.logged.filter((line) => line.includes('a request was answered'))).toHaveLength(count)
})

test('requests are sampled, and failed ones are always logged', async () => {
  const sampled = await startHttpWorld((app) => {
    app.log.level = 'info'
    logRequests(app, { fromMs: 0, oneIn: 3 })
    app.get('/well', async () => 'well')
    app.get('/broken', async () => {
      throw new Error('a bug')
    })
  })
  for (const path of [...Array(7).fill('/well'), '/broken', '/broken']) await fetch(sampled.url + path)
  await sampled[Symbol.asyncDispose]()
  const routes = sampled.logged.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'a request was answered')
  expect(routes.map(({ route }) => route)).toEqual(['/well', '/well', '/well', '/broken', '/broken'])
})
