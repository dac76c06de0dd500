import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { domains } from '../../domains.ts'
import { changes } from '../../interface/changes/tables.ts'
import { dependentsOfOrganization } from '../../interface/dependents/organization.ts'
import { eq, sql } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { newId } from '../../platform/ids.ts'
import { dependentsIn } from '../../platform/records.ts'
import { projects } from '../../projects/projects/tables.ts'
import { openTestDatabase } from '../../testing/database.ts'
import { createOneOfEverything } from '../../testing/resources.ts'
import { auditEvents } from '../audit-events/tables.ts'
import { deleteDueOrganizations, inOrder } from './end.ts'
import { apiKeys, organizations } from './tables.ts'

const log = pino({ level: 'silent' })

async function openDb(): Promise<Db> {
  const { db, close } = await openTestDatabase()
  onTestFinished(() => close())
  return db
}

const due = (db: Db, id: string, endsAt = new Date(Date.now() - 1_000)) =>
  db
    .update(organizations)
    .set({ deletion: { requestedAt: endsAt.toISOString(), requestedBy: 'Ada' }, endsAt })
    .where(eq(organizations.id, id))

const findBusy = dependentsOfOrganization(dependentsIn(domains.flatMap(({ records = [] }) => records)))
const endAll = (db: Db) => deleteDueOrganizations({ db, clock: () => new Date(), log, findBusy })

type Named = { rows: { name: string }[] }
type Counted = { rows: [{ count: number }] }

/** Returns the number of an organization's rows per table. */
async function rowsPerTable(db: Db, organizationId: string): Promise<Record<string, number>> {
  const { rows } = (await db.execute(
    sql`select table_name as name from information_schema.columns
      where table_schema = 'public' and column_name = 'organization_id' order by 1`,
  )) as unknown as Named
  const counts: Record<string, number> = {}
  for (const { name } of rows) {
    const query = sql`select count(*)::int as count from ${sql.identifier(name)} where organization_id = ${organizationId}`
    counts[name] = ((await db.execute(query)) as unknown as Counted).rows[0].count
  }
  return counts
}

test('a deleted organization leaves rows only in the audit log, and others keep all of theirs', async () => {
  const db = await openDb()
  const [gone, stays] = [await createOneOfEverything(db), await createOneOfEverything(db)]
  const before = await rowsPerTable(db, stays.organizationId)
  const filled = Object.values(await rowsPerTable(db, gone.organizationId)).filter((count) => count > 0)
  expect(filled.length).toBeGreaterThan(40)
  await due(db, gone.organizationId)
  expect(await endAll(db)).toBe(1)
  const { audit_events, audit_chain, audit_heads, row_counts, ...rest } = await rowsPerTable(db, gone.organizationId)
  expect(Object.entries(rest).filter(([, count]) => count > 0)).toEqual([])
  const log = { audit_events, audit_chain, audit_heads, row_counts }
  expect(log).toEqual({ audit_events: 2, audit_chain: 2, audit_heads: 1, row_counts: 1 })
  const lines = await db.select().from(auditEvents).where(eq(auditEvents.organizationId, gone.organizationId))
  expect(lines.map(({ action }) => action)).toContain('organizations.end')
  expect(await db.$count(organizations, eq(organizations.id, gone.organizationId))).toBe(0)
  expect(await rowsPerTable(db, stays.organizationId)).toEqual(before)
  expect(await endAll(db)).toBe(0)
})

test('a large table is deleted in batches, and an interrupted deletion continues', async () => {
  const db = await openDb()
  const { organizationId } = await createOneOfEverything(db)
  const many = Array.from({ length: 2_500 }, () => ({
    id: newId('prj'),
    organizationId,
    name: 'A',
    givenId: newId('req'),
  }))
  await db.insert(projects).values(many)
  await due(db, organizationId)
  let looks = 0
  const killed = deleteDueOrganizations({
    db,
    clock: () => new Date(),
    log,
    findBusy: async () => {
      if (++looks === 10) throw new Error('killed')
      return []
    },
  })
  await expect(killed).rejects.toThrow('killed')
  expect(await db.$count(apiKeys, eq(apiKeys.organizationId, organizationId))).toBe(0)
  expect(await db.$count(organizations, eq(organizations.id, organizationId))).toBe(1)
  expect(await endAll(db)).toBe(1)
  expect(await db.$count(projects, eq(projects.organizationId, organizationId))).toBe(0)
  expect(await db.$count(changes, eq(changes.organizationId, organizationId))).toBe(0)
})

test('an organization that is not due, was restored or has work in progress is unaffected', async () => {
  const db = await openDb()
  const [later, busy] = [await createOneOfEverything(db), await createOneOfEverything(db)]
  await due(db, later.organizationId, new Date(Date.now() + 60_000))
  await due(db, busy.organizationId)
  const findBusy = async () => ['pipeline run run_1']
  expect(await deleteDueOrganizations({ db, clock: () => new Date(), log, findBusy })).toBe(0)
  expect(await db.$count(organizations)).toBe(2)
  expect(await db.$count(projects, eq(projects.organizationId, busy.organizationId))).toBe(1)
})

test('referring tables come before the tables they refer to', () => {
  const references = [
    { from: 'steps', to: 'runs' },
    { from: 'runs', to: 'pipelines' },
    { from: 'steps', to: 'stacks' },
  ]
  const names = ['changes', 'pipelines', 'runs', 'stacks', 'steps']
  expect(inOrder({ names, references })).toEqual(['steps', 'runs', 'stacks', 'pipelines', 'changes'])
})
