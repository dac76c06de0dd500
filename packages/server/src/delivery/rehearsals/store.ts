import type { RehearsalScenario, UserFacingError } from '@sluice/contract'
import { and, asc, desc, eq, getTableColumns, inArray, isNotNull, lt, lte, or, sql } from '../../platform/db/drizzle.ts'
import { batchSize, type DeleteExpiredRecords, daysBefore, inBatches } from '../../platform/db/forgetting.ts'
import type { Db } from '../../platform/db/open.ts'
import type { PageBounds, PageRows } from '../../platform/db/page.ts'
import { overdueIn } from '../../platform/engine/overdue.ts'
import { firstIdAt, newId } from '../../platform/ids.ts'
import { releaseHash } from '../deployments/representation/release-hash.ts'
import type { Release } from '../deployments/types/release.ts'
import { type RehearsalRow, rehearsals, scenariosWithoutTimelines } from './tables.ts'
import { rehearsalService, toRehearsal } from './wake.ts'

type NewRehearsal = Omit<
  typeof rehearsals.$inferInsert,
  'id' | 'status' | 'scenarios' | 'assumptions' | 'releaseHash'
> & {
  release: Release
}

export async function insertRehearsal(db: Db, row: NewRehearsal): Promise<RehearsalRow> {
  const begun = {
    id: newId('reh'),
    status: 'PENDING' as const,
    scenarios: [],
    assumptions: [],
    releaseHash: releaseHash(row.release),
  }
  const [inserted] = await db
    .insert(rehearsals)
    .values({ ...row, ...begun })
    .returning()
  if (!inserted) throw new Error('a rehearsal was inserted and not returned')
  return inserted
}

export async function findRehearsal(db: Db, organizationId: string, id: string): Promise<RehearsalRow | undefined> {
  const isOne = and(eq(rehearsals.organizationId, organizationId), eq(rehearsals.id, id))
  const [row] = await db.select().from(rehearsals).where(isOne)
  return row
}

/** A rehearsal without what only its own page shows: the timelines, which can have megabytes. */
export type RehearsalListRow = Omit<RehearsalRow, 'scenarios' | 'release'> & {
  scenarios: Omit<RehearsalScenario, 'timeline'>[]
}

export async function listRehearsals(
  db: Db,
  organizationId: string,
  { moduleInstanceId }: { moduleInstanceId?: string },
  { before, limit }: PageBounds,
): Promise<PageRows<RehearsalListRow>> {
  const ofInstance = moduleInstanceId === undefined ? undefined : eq(rehearsals.moduleInstanceId, moduleInstanceId)
  const where = and(eq(rehearsals.organizationId, organizationId), ofInstance)
  const { scenarios: _, release: __, ...columns } = getTableColumns(rehearsals)
  const page = db
    .select({ ...columns, scenarios: scenariosWithoutTimelines })
    .from(rehearsals)
    .where(and(where, before === undefined ? undefined : lt(rehearsals.id, before)))
    .orderBy(desc(rehearsals.id))
    .limit(limit + 1)
  const [rows, totalCount] = await Promise.all([page, db.$count(rehearsals, where)])
  return { rows, totalCount }
}

/** Counts the unfinished rehearsals of an organization, up to `most`. */
export async function countUnfinishedRehearsals(db: Db, organizationId: string, most: number): Promise<number> {
  const unfinished = db
    .select({ id: rehearsals.id })
    .from(rehearsals)
    .where(and(eq(rehearsals.organizationId, organizationId), isNotNull(rehearsals.wakeAt)))
    .limit(most)
  return db.$count(unfinished.as('unfinished'))
}

/** Leases a rehearsal. Returns undefined if another worker runs it or if it has finished. */
export async function leaseRehearsal(db: Db, id: string, now: Date, until: Date): Promise<RehearsalRow | undefined> {
  const isFree = or(
    eq(rehearsals.status, 'PENDING'),
    and(eq(rehearsals.status, 'IN_PROGRESS'), lte(rehearsals.leasedUntil, now)),
  )
  const [row] = await db
    .update(rehearsals)
    .set({
      status: 'IN_PROGRESS',
      attempts: sql`${rehearsals.attempts} + 1`,
      leasedUntil: until,
      wakeAt: until,
      updatedAt: now,
    })
    .where(and(eq(rehearsals.id, id), isFree))
    .returning()
  return row
}

/** Extends the lease of a worker, unless another worker or none runs the rehearsal. */
export async function renewLease(db: Db, { id, attempts }: RehearsalRow, until: Date): Promise<void> {
  const isOurs = and(eq(rehearsals.id, id), eq(rehearsals.status, 'IN_PROGRESS'), eq(rehearsals.attempts, attempts))
  await db.update(rehearsals).set({ leasedUntil: until, wakeAt: until }).where(isOurs)
}

/** Releases the lease and schedules the rehearsal to run again at `wakeAt`. */
export async function postponeRehearsal(db: Db, { id, attempts }: RehearsalRow, wakeAt: Date): Promise<void> {
  const isOurs = and(eq(rehearsals.id, id), eq(rehearsals.attempts, attempts))
  await db.update(rehearsals).set({ leasedUntil: wakeAt, wakeAt }).where(isOurs)
}

export type RehearsalEnd =
  | { status: 'SUCCESS'; scenarios: RehearsalScenario[]; assumptions: string[] }
  | { status: 'ERROR'; error: UserFacingError }

/** Stores the result of a rehearsal, unless another worker has started it since. */
export async function finishRehearsal(db: Db, row: RehearsalRow, end: RehearsalEnd, now: Date): Promise<void> {
  const isOurs = and(
    eq(rehearsals.id, row.id),
    eq(rehearsals.status, 'IN_PROGRESS'),
    eq(rehearsals.attempts, row.attempts),
  )
  const over = { completedAt: now, updatedAt: now, release: null, wakeAt: null, leasedUntil: null }
  await db
    .update(rehearsals)
    .set({ ...over, ...end })
    .where(isOurs)
}

/** Finds rehearsals that no worker runs, or whose worker is gone, and returns the messages that start them again. */
export const overdueRehearsals = overdueIn(rehearsals, {
  service: rehearsalService,
  messagesOf: (rows) => rows.map(({ id }) => toRehearsal(id)),
})

/** Deletes rehearsals that are older than this many days. */
export const deleteOldRehearsals =
  (days: number): DeleteExpiredRecords =>
  (db, now) =>
    inBatches(async () => {
      const { id } = rehearsals
      const oldest = db
        .select({ id })
        .from(rehearsals)
        .where(lt(id, firstIdAt('reh', daysBefore(now, days))))
        .orderBy(asc(id))
        .limit(batchSize)
      return (await db.delete(rehearsals).where(inArray(id, oldest)).returning({ id })).length
    })
