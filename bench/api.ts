import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import autocannon from 'autocannon'
import pg from 'pg'
import { createTestDatabase } from '../packages/server/src/testing/database.ts'
import { seed } from './api-seed.ts'
import { type BenchServer, startBare, startSluice } from './api-servers.ts'
import { useDatabase } from './database.ts'
import { budget, flags, percentile, processorMs, publish, round } from './report.ts'

const {
  rounds,
  seconds,
  connections,
  rows: manyRows,
} = flags({ rounds: 5, seconds: 5, connections: 16, rows: 1_000_000 })
const database = await useDatabase('postgres')
await using parts = new AsyncDisposableStack()
const directory = await mkdtemp(join(tmpdir(), 'sluice-bench-api-'))
parts.defer(() => rm(directory, { recursive: true }))
const { url: databaseUrl = '', drop } = await createTestDatabase()
parts.defer(drop)
const { token, organizationId, deploymentIds, moduleInstanceIds, few, many } = await seed(databaseUrl, manyRows)
const sluice = await startSluice({ databaseUrl, directory, parts })
const bare = await startBare({ databaseUrl, parts }, organizationId)

type Rate = { perSecond: number; processorMs: number }
type Load = Pick<autocannon.Request, 'method' | 'setupRequest'>
/** Requests to a server by one caller. */
type Stream = { server: BenchServer; token: string; load: Load }

const get = (path: () => string): Load => ({ method: 'GET', setupRequest: (request) => ({ ...request, path: path() }) })
const anyOf = <T>(values: readonly T[]) => values[Math.floor(Math.random() * values.length)]
const besideBare: { what: string; least: number; load: Load }[] = [
  { what: 'GET one deployment', least: 0.75, load: get(() => `/deployments/${anyOf(deploymentIds)}`) },
  { what: 'GET a page of 50', least: 0.8, load: get(() => '/deployments?limit=50') },
  {
    what: 'POST /deployments',
    least: 0.4,
    load: { method: 'POST', setupRequest: (request) => ({ ...request, path: '/deployments', body: newDeployment() }) },
  },
]

const rows = []
for (const { what, least, load } of besideBare) {
  const [ours, theirs] = await ratesOf({ server: sluice, token, load }, { server: bare, token, load })
  const ratio = round(ours.perSecond / theirs.perSecond)
  rows.push({
    'requests/s': what,
    Sluice: round(ours.perSecond),
    bare: round(theirs.perSecond),
    ratio,
    budget: budget(ratio, (value) => value >= least, `≥ ${least}`),
    'processor ms per request, Sluice': round(ours.processorMs),
    'the same, bare': round(theirs.processorMs),
  })
}

const firstPage = get(() => '/deployments?limit=50')
const thousandth = await cursorOf(1_000)
const shortList: Stream = { server: sluice, token: few.token, load: firstPage }
const longLists = [
  { what: `list of ${many.rows}, page 1`, load: firstPage },
  { what: `list of ${many.rows}, page 1,000`, load: get(() => `/deployments?limit=50&cursor=${thousandth}`) },
]
const listRows = []
for (const { what, load } of longLists) {
  const [long, short] = await ratesOf({ server: sluice, token: many.token, load }, shortList)
  // With equal numbers of connections, latencies are inversely proportional to rates.
  const ratio = round(short.perSecond / long.perSecond)
  listRows.push({
    'ms per page of 50': what,
    latency: round((1_000 * connections) / long.perSecond),
    [`list of ${few.rows}, page 1`]: round((1_000 * connections) / short.perSecond),
    ratio,
    budget: budget(ratio, (value) => value <= 1.2, '≤ 1.2'),
  })
}

await publish({
  name: 'api',
  what: [
    `\`sluice serve --roles api\` and a bare Fastify with pg, one process each, on the same tables of ${deploymentIds.length}`,
    `finished deployments; ${connections} connections from a third process, ${rounds} times ${seconds} s in turn, medians.`,
    'POST: both answer when it is committed. Every POST is to another module instance. Lists: of other organizations on',
    'the same tables, with short deployments.',
  ],
  database,
  rows,
})
await publish({ name: 'api-lists', what: ['Beside it, the lists of those organizations.'], database, rows: listRows })

function newDeployment(): string {
  const moduleInstanceId = moduleInstanceIds.pop()
  if (moduleInstanceId === undefined) throw new Error('there are not enough module instances for so many POSTs')
  return JSON.stringify({ data: { moduleInstanceId, description: 'bench', inputs: { image_ref: 'shop/app:3' } } })
}

/** Returns the cursor of a page of the long list. */
async function cursorOf(page: number): Promise<string> {
  let cursor = ''
  for (let before = 1; before < page; before++) {
    const query = new URLSearchParams({ limit: '50', ...(cursor !== '' && { cursor }) })
    const answer = await fetch(`${sluice.url}/deployments?${query}`, {
      headers: { authorization: `Bearer ${many.token}` },
    })
    const { meta } = (await answer.json()) as { meta: { nextCursor: string; totalCount: number } }
    if (meta.totalCount !== many.rows) throw new Error(`the list counts ${meta.totalCount} of ${many.rows}`)
    cursor = meta.nextCursor
  }
  return cursor
}

/** Returns the median rates of two request streams, measured alternately after a warm-up. */
async function ratesOf(one: Stream, other: Stream): Promise<[Rate, Rate]> {
  const rates: [Rate[], Rate[]] = [[], []]
  await rateOf(one)
  await rateOf(other)
  for (let round = 0; round < rounds; round++) {
    rates[0].push(await rateOf(one))
    rates[1].push(await rateOf(other))
  }
  return [medianOf(rates[0]), medianOf(rates[1])]
}

function medianOf(rates: Rate[]): Rate {
  const median = (of: keyof Rate) =>
    percentile(
      rates.map((rate) => rate[of]),
      0.5,
    )
  return { perSecond: median('perSecond'), processorMs: median('processorMs') }
}

/** Deletes the deployments created by POSTs, because a growing queue would slow down each further one. */
async function forgetQueue(): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  await client.query(`delete from deployments where status = 'PENDING'`)
  await client.end()
}

/** Returns successful requests per second and the server's processor time per request. */
async function rateOf({ server, token, load }: Stream): Promise<Rate> {
  await forgetQueue()
  const before = processorMs(server.pid)
  const result = await autocannon({
    url: server.url,
    connections,
    duration: seconds,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    requests: [load],
  })
  const wrong = result.non2xx + result.errors
  if (wrong > 0) {
    const answers = JSON.stringify(result.statusCodeStats)
    throw new Error(`${server.url}: ${load.method} was answered ${answers}, with ${result.errors} errors`)
  }
  return {
    perSecond: result['2xx'] / result.duration,
    processorMs: (processorMs(server.pid) - before) / result['2xx'],
  }
}
