import { randomBytes, randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import autocannon from 'autocannon'
import { connectAccount } from '../packages/server/demo/organization.ts'
import { createOrganization } from '../packages/server/src/identity/organizations/bootstrap.ts'
import { newApiKey } from '../packages/server/src/platform/auth/api-key.ts'
import { sql } from '../packages/server/src/platform/db/drizzle.ts'
import { openDatabase } from '../packages/server/src/platform/db/open.ts'
import { createTestDatabase } from '../packages/server/src/testing/database.ts'
import { startBare, startSluice } from './api-servers.ts'
import { useDatabase } from './database.ts'
import { budget, flags, publish, round } from './report.ts'

const { seconds, rate, connections } = flags({ seconds: 20, rate: 500, connections: 32 })
const accountNumber = '111122223333'
const eventSecret = randomBytes(16).toString('hex')

const description = await useDatabase('postgres')
await using parts = new AsyncDisposableStack()
const directory = await mkdtemp(join(tmpdir(), 'sluice-event-load-'))
parts.defer(() => rm(directory, { recursive: true, force: true }))
const database = await createTestDatabase()
parts.defer(() => database.drop())
const databaseUrl = database.url ?? fail('there is no PostgreSQL')
const opened = await openDatabase({ url: databaseUrl })
parts.defer(() => opened.close())
const { db } = opened
const owner = { email: 'owner@example.com', fullName: 'Olga Owner' }
const { organizationId } = await createOrganization(db, { name: 'Load', givenId: 'load', owner, token: newApiKey() })
const roleArn = `arn:aws:iam::${accountNumber}:role/sluice`
const account = { givenId: 'main', name: 'Main', roleArn, externalId: 'x'.repeat(16), eventSecret }
const cloudAccountId = await connectAccount(db, organizationId, account)

const sluice = await startSluice({ databaseUrl, directory, parts })
const bare = await startBare({ databaseUrl, parts }, organizationId)
const [ours, theirs] = [`${sluice.url}/cloud-accounts/${cloudAccountId}/events`, `${bare.url}/events`]

await load(ours, 3)
await load(theirs, 3)
const bareFull = await load(theirs, seconds)
const full = await load(ours, seconds)
const before = await countEvents()
const steady = await load(ours, seconds, rate)
await sleep(1_000)
const kept = (await countEvents()) - before

const shareOf = full.rate / bareFull.rate
await publish({
  name: 'event-load',
  what: [
    `Events of tasks, each another one of 1.1 KB, are posted over ${connections} connections for ${seconds} s: to the ingest`,
    'route in a process with the role api, and to a route of Fastify and pg alone that inserts the same row and knows no',
    `account, no secret and no counts. Then ${rate} a second to the ingest route, and what it answered with 202 is counted in`,
    'the table (those under way at the end are kept and not counted as answered). Load, server and database share the machine.',
  ],
  database: description,
  rows: [
    { events: 'bare insert, as fast as it goes', ...bareFull },
    { events: 'ingest, as fast as it goes', ...full, 'of bare': round(shareOf) },
    {
      events: `ingest, ${rate}/s`,
      ...steady,
      kept,
      budget: budget(
        steady.rate,
        (reached) => reached >= rate * 0.98 && kept >= steady.accepted,
        `${rate}/s, none lost`,
      ),
    },
  ],
})

/** Posts events for some time. Returns responses per second and their times in milliseconds. */
async function load(url: string, duration: number, overallRate?: number) {
  const result = await autocannon({
    url,
    method: 'POST',
    connections,
    duration,
    ...(overallRate === undefined ? {} : { overallRate }),
    headers: { 'content-type': 'application/json', 'x-sluice-event-secret': eventSecret },
    setupClient(client) {
      client.setBody(body())
      client.on('response', () => client.setBody(body()))
    },
  })
  if (result.non2xx > 0 || result.errors > 0) throw new Error(`${result.non2xx} refusals, ${result.errors} errors`)
  const { p50, p99 } = result.latency
  return { rate: round(result['2xx'] / result.duration), accepted: result['2xx'], 'p50 ms': p50, 'p99 ms': p99 }
}

function body(): string {
  return JSON.stringify({
    version: '0',
    id: randomUUID(),
    'detail-type': 'ECS Task State Change',
    source: 'aws.ecs',
    account: accountNumber,
    time: new Date().toISOString(),
    region: 'eu-west-1',
    resources: [`arn:aws:ecs:eu-west-1:${accountNumber}:task/shop/${randomUUID()}`],
    detail: {
      group: 'service:web',
      clusterArn: `arn:aws:ecs:eu-west-1:${accountNumber}:cluster/shop`,
      lastStatus: 'RUNNING',
      desiredStatus: 'RUNNING',
      containers: Array.from({ length: 3 }, (_, n) => ({
        name: `c${n}`,
        image: 'shop/app:2',
        lastStatus: 'RUNNING',
        padding: 'x'.repeat(120),
      })),
    },
  })
}

async function countEvents(): Promise<number> {
  const found = await db.execute(sql`select count(*)::int as count from infrastructure_events`)
  return Number((found as unknown as { rows: { count: number }[] }).rows[0]?.count)
}

function fail(message: string): never {
  throw new Error(message)
}
