import { afterAll, expect, test } from 'vitest'
import { everyCase } from '../../../../../testing/every-case.ts'
import { sql } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { newId } from '../../platform/ids.ts'
import { openTestDatabase } from '../../testing/database.ts'
import { serviceAuthor } from './author.ts'
import { chainHashOf, contentHashOf, firstPreviousHash } from './chain.ts'
import { type Change, recordChange } from './record.ts'
import { removeAuditEvents } from './retention.ts'
import { readAuditEvents } from './store.ts'
import { auditEvents } from './tables.ts'
import { lineToWire } from './wire.ts'

const database = await openTestDatabase()
afterAll(() => database.close())

const organization = () => newId('org')
const change = (resourceId: string, details: Record<string, unknown> = {}): Change => ({
  action: 'projects.update',
  resourceType: 'project',
  resourceId,
  details,
})
const record = (organizationId: string, resourceId: string, details?: Record<string, unknown>) =>
  recordChange(database.db, serviceAuthor(organizationId), change(resourceId, details))

/** Returns an organization's exported events, oldest first. */
async function exported(organizationId: string) {
  const all = []
  for await (const rows of readAuditEvents(database.ofOrganization(organizationId), organizationId, {})) {
    all.push(...JSON.parse(JSON.stringify(rows.map(lineToWire))))
  }
  return all.toSorted((one, other) => one.chain.sequence - other.chain.sequence)
}

test('each event contains the hash of the previous event of its organization', async () => {
  const [one, other] = [organization(), organization()]
  for (const resourceId of ['a', 'b', 'c']) {
    await record(one, resourceId)
    await record(other, resourceId)
  }
  const events = await exported(one)
  let previousHash = firstPreviousHash
  for (const [index, { chain, createdAt, ...content }] of events.entries()) {
    expect(chain).toMatchObject({ sequence: index + 1, previousHash, contentHash: contentHashOf(content) })
    expect(chain.hash).toBe(chainHashOf(chain, createdAt))
    previousHash = chain.hash
  }
  expect(events).toHaveLength(3)
})

test(
  'the content hash covers exactly what an export returns, whatever was stored',
  everyCase(
    [
      ['numbers', { large: 1e21, small: 1e-7, whole: 1.0, minus: -0, most: Number.MAX_VALUE, least: 5e-324 }],
      ['the order of members', { b: 1, a: { z: [], y: {} }, aa: null, '10': 1, '9': 1 }],
      ['texts', { text: 'ä "quoted" \\ \n 😀', empty: '', ü: 'ü' }],
      [
        'what JSON leaves out',
        { none: undefined, list: [undefined], date: new Date(0), infinite: Number.POSITIVE_INFINITY },
      ],
      ['names of prototypes', JSON.parse('{"__proto__": 1, "constructor": 2}')],
    ] as [string, Record<string, unknown>][],
    async (_, details) => {
      const organizationId = organization()
      await record(organizationId, 'a', details)
      const [{ chain, createdAt: _createdAt, ...content }] = await exported(organizationId)
      expect(chain.contentHash).toBe(contentHashOf(content))
    },
  ),
)

test('a lone surrogate in a name is hashed as it is stored', async () => {
  const organizationId = organization()
  await recordChange(database.db, { ...serviceAuthor(organizationId), userAgent: 'agent \ud83d' }, change('a'))
  const [{ chain, createdAt: _, ...content }] = await exported(organizationId)
  expect(chain.contentHash).toBe(contentHashOf(content))
})

test('events of concurrent transactions form one chain', async () => {
  const organizationId = organization()
  const inOneTransaction = (number: number) =>
    database.db.transaction(async (tx) => {
      await recordChange(tx, serviceAuthor(organizationId), change(`${number}`))
      await recordChange(tx, serviceAuthor(organizationId), change(`${number} again`))
    })
  await Promise.all(Array.from({ length: 10 }, (_, number) => inOneTransaction(number)))
  const events = await exported(organizationId)
  expect(events.map(({ chain }) => chain.sequence)).toEqual(Array.from({ length: 20 }, (_, index) => index + 1))
  expect(events.slice(1).map(({ chain }) => chain.previousHash)).toEqual(
    events.slice(0, -1).map(({ chain }) => chain.hash),
  )
})

test('an event whose transaction is rolled back leaves no gap', async () => {
  const organizationId = organization()
  await record(organizationId, 'a')
  const failed = database.db.transaction(async (tx) => {
    await recordChange(tx, serviceAuthor(organizationId), change('b'))
    throw new Error('rolled back')
  })
  await expect(failed).rejects.toThrow('rolled back')
  await record(organizationId, 'c')
  expect((await exported(organizationId)).map(({ chain, resourceId }) => [chain.sequence, resourceId])).toEqual([
    [1, 'a'],
    [2, 'c'],
  ])
})

test('retention removes events from the start of the chain, and the rest has no gap', async () => {
  const organizationId = organization()
  const before = new Date('2026-06-01T00:00:00Z')
  const dated = (day: string) => ({
    id: newId('aud'),
    ...serviceAuthor(organizationId),
    action: 'a.b',
    resourceType: 'a',
    resourceId: day,
    createdAt: new Date(`${day}T00:00:00Z`),
  })
  const days = ['2026-05-01', '2026-05-02', '2026-06-02', '2026-05-31', '2026-06-03']
  for (const day of days) await database.db.insert(auditEvents).values(dated(day))
  await removeAuditEvents(database.db, { author: serviceAuthor(organizationId), before })
  const events = await exported(organizationId)
  expect(events.map(({ chain, resourceId }) => [chain.sequence, resourceId])).toEqual([
    [3, '2026-06-02'],
    [4, '2026-05-31'], // older than the retention period, but after a newer event in the chain
    [5, '2026-06-03'],
    [6, organizationId],
  ])
})

const attempts: [string, (db: Db) => Promise<unknown>][] = [
  ['changes a link', (db) => db.execute(sql`update audit_chain set hash = ''`)],
  ['removes a link', (db) => db.execute(sql`delete from audit_chain`)],
  ['removes all links', (db) => db.execute(sql`truncate audit_chain`)],
  ['puts a link in between', (db) => db.execute(sql`insert into audit_chain values ('org_1', 9, 'aud_1', '', '')`)],
  ['changes the head', (db) => db.execute(sql`update audit_heads set sequence = 1`)],
  ['removes the head', (db) => db.execute(sql`delete from audit_heads`)],
]

test(
  'a request of an organization cannot change the chain',
  everyCase(attempts, async (_, attempt) => {
    await expect(attempt(database.ofOrganization('org_1'))).rejects.toMatchObject({ cause: { code: '42501' } })
  }),
)

test(
  'even the owner of the table cannot change the chain',
  everyCase(attempts.slice(0, 3), async (_, attempt) => {
    await record(organization(), 'a')
    await expect(attempt(database.db)).rejects.toMatchObject({ cause: { code: '23001' } })
  }),
)

test('an organization cannot read links of another', async () => {
  const [one, other] = [organization(), organization()]
  await record(other, 'a')
  for (const table of [sql`audit_chain`, sql`audit_heads`]) {
    const seen = await database.ofOrganization(one).execute(sql`select * from ${table}`)
    expect((seen as unknown as { rows: unknown[] }).rows).toEqual([])
  }
})
