import { serviceAuthor } from '../packages/server/src/identity/audit-events/author.ts'
import { removeAuditEvents } from '../packages/server/src/identity/audit-events/retention.ts'
import {
  type AuditEventFilters,
  listAuditEvents,
  readAuditEvents,
} from '../packages/server/src/identity/audit-events/store.ts'
import { sql } from '../packages/server/src/platform/db/drizzle.ts'
import { openTestDatabase } from '../packages/server/src/testing/database.ts'
import { useDatabase } from './database.ts'
import { flags, publish, spread } from './report.ts'

/** Measures queries of a large audit log, with the organization's database role. */
const { rows: lines, rounds } = flags({ rows: 1_000_000, rounds: 7 })
const place = await useDatabase('postgres')
await using parts = new AsyncDisposableStack()
const { db, ofOrganization, close } = await openTestDatabase()
parts.defer(close)

const organizationId = 'org_bench'
const days = 400
const end = Date.now()
const daysAgo = (count: number) => new Date(end - count * 86_400_000).toISOString()
// Links are created at commit, and updating one row a million times in a transaction would take hours.
const atOnce = 10_000
for (let first = 1; first <= lines; first += atOnce) {
  const last = Math.min(lines, first + atOnce - 1)
  await db.execute(sql`insert into audit_events (id, created_at, organization_id, actor_type, actor_id, actor_name, action,
    resource_type, resource_id, channel, details)
  select 'aud_' || lpad(n::text, 9, '0'), ${daysAgo(days)}::timestamptz + n * ${`${days} days`}::interval / ${lines}::int,
    ${organizationId}, 'MEMBERSHIP', 'mem_' || n % 100, 'user' || n % 100 || '@example.com', 'deployments.create',
    'deployment', 'dep_' || n / 100, 'API', '{"description": "Release 1.2.3 of the shop"}'
  from generate_series(${first}::int, ${last}::int) as n`)
}
await db.execute(sql`vacuum analyze`)

const own = ofOrganization(organizationId)
const questions: [string, AuditEventFilters][] = [
  ['all', {}],
  ['of an actor: a hundredth', { actorId: 'mem_7' }],
  ['of actors by the beginning of a name: a hundredth', { actorName: 'user7@' }],
  ['of a record: 100 lines', { resourceType: 'deployment', resourceId: `dep_${Math.floor(lines / 200)}` }],
  ['of a day', { startTime: daysAgo(101), endTime: daysAgo(100) }],
  ['of an actor, in a day', { actorId: 'mem_7', startTime: daysAgo(101), endTime: daysAgo(100) }],
  ['of half of the time', { startTime: daysAgo(days / 2) }],
]
const rows = []
for (const [what, wanted] of questions) {
  let count = 0
  const ms = await timed(rounds, async () => {
    count = (await listAuditEvents(own, organizationId, wanted, { limit: 50, before: undefined })).totalCount
  })
  rows.push({ what: `a page of 50 ${what}`, lines: count, ...spread(ms) })
}

let read = 0
const [exportMs = 0] = await timed(1, async () => {
  for await (const some of readAuditEvents(own, organizationId, {})) {
    read += some.length
    if (read >= lines / 5) break
  }
})
rows.push({ what: 'export, thousands of lines a second', lines: read, p50: Math.round(read / exportMs) })

// Lines of the last 30 days cannot be removed.
const removed = Math.min(20_000, lines / 2)
const before = new Date(end - days * 86_400_000 + (days * 86_400_000 * removed) / lines)
const [removalMs = 0] = await timed(1, () => removeAuditEvents(db, { author: serviceAuthor(organizationId), before }))
rows.push({ what: 'retention, a batch of 5,000', lines: removed, p50: Math.round((removalMs * 5_000) / removed) })

await publish({
  name: 'audit-log',
  what: [`An organization's audit log of ${lines} lines. ms.`],
  database: place,
  rows,
})

async function timed(times: number, work: () => Promise<void>): Promise<number[]> {
  const ms: number[] = []
  for (let round = 0; round < times; round += 1) {
    const begin = performance.now()
    await work()
    ms.push(performance.now() - begin)
  }
  return ms
}
