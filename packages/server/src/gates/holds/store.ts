import type { HoldRule } from '@sluice/contract'
import { type AnyPgColumn, and, eq, isNull, type SQL, sql } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import type { PageBounds, PageRows } from '../../platform/db/page.ts'
import { newId } from '../../platform/ids.ts'
import { ruleStore } from '../rule-store.ts'
import { type HoldRow, holdRules, holds } from './tables.ts'

export const holdStore = ruleStore(holds, 'hold', 'hld')

const one = (organizationId: string, id: string) => and(eq(holds.organizationId, organizationId), eq(holds.id, id))

/** Subquery: whether the organization has active holds. */
export const hasHolds = (organizationId: AnyPgColumn): SQL<boolean> =>
  sql<boolean>`exists (select from ${holds}
    where ${and(eq(holds.organizationId, organizationId), isNull(holds.liftedAt))})`

/** Subquery: the mode of the environment's rule for rollbacks; null if there is none. */
export const afterRollbackIn = (environmentId: AnyPgColumn): SQL<HoldRule['mode'] | null> =>
  sql<HoldRule['mode'] | null>`(select ${holdRules.mode} from ${holdRules}
    where ${and(eq(holdRules.environmentId, environmentId), holdRules.afterRollback)})`

/** Counts the active holds of exactly this instance, or of the whole environment. */
export const countHolds = (
  db: Db,
  organizationId: string,
  { environmentId, moduleInstanceId }: Pick<HoldRow, 'environmentId' | 'moduleInstanceId'>,
): Promise<number> =>
  db.$count(
    holds,
    and(
      eq(holds.organizationId, organizationId),
      isNull(holds.liftedAt),
      eq(holds.environmentId, environmentId),
      moduleInstanceId === null ? isNull(holds.moduleInstanceId) : eq(holds.moduleInstanceId, moduleInstanceId),
    ),
  )

type NewHold = Omit<typeof holds.$inferInsert, 'id'>

/** Stores an automatic hold of an instance. Returns undefined if the instance has one already. */
export async function insertFirstHold(tx: Db, row: NewHold): Promise<HoldRow | undefined> {
  const [inserted] = await tx
    .insert(holds)
    .values({ id: newId('hld'), ...row })
    .onConflictDoNothing()
    .returning()
  return inserted
}

type Filters = { projectId?: string; environmentId?: string; moduleInstanceId?: string; includeLifted: boolean }

export const listHolds = (
  db: Db,
  organizationId: string,
  { includeLifted, ...scope }: Filters,
  page: PageBounds,
): Promise<PageRows<HoldRow>> =>
  holdStore.list(db, organizationId, scope, page, includeLifted ? undefined : isNull(holds.liftedAt))

/** Returns the active holds in a project. */
export const openHoldsIn = (db: Db, organizationId: string, projectId: string): Promise<HoldRow[]> =>
  db
    .select()
    .from(holds)
    .where(and(eq(holds.organizationId, organizationId), eq(holds.projectId, projectId), isNull(holds.liftedAt)))

/** Lifts a hold. Returns undefined if it is not active, so that only one of two concurrent requests succeeds. */
export async function liftHold(
  tx: Db,
  organizationId: string,
  id: string,
  { by, reason, now }: { by: string; reason: string; now: Date },
): Promise<HoldRow | undefined> {
  const [row] = await tx
    .update(holds)
    .set({ liftedAt: now, liftedBy: by, liftReason: reason, updatedAt: sql`now()` })
    .where(and(one(organizationId, id), isNull(holds.liftedAt)))
    .returning()
  return row
}

export async function findHoldRule(db: Db, organizationId: string, environmentId: string): Promise<HoldRule> {
  const isIt = and(eq(holdRules.organizationId, organizationId), eq(holdRules.environmentId, environmentId))
  const [row] = await db.select().from(holdRules).where(isIt)
  return { afterRollback: row?.afterRollback ?? false, mode: row?.mode ?? 'ENFORCE' }
}

export async function saveHoldRule(tx: Db, row: typeof holdRules.$inferInsert & HoldRule): Promise<void> {
  const { afterRollback, mode } = row
  const set = { afterRollback, mode }
  await tx.insert(holdRules).values(row).onConflictDoUpdate({ target: holdRules.environmentId, set })
}

/** Reports whether an instance has an automatic hold. */
export const isHeldByRollback = async (db: Db, moduleInstanceId: string): Promise<boolean> => {
  const isIt = and(eq(holds.moduleInstanceId, moduleInstanceId), eq(holds.origin, 'ROLLBACK'), isNull(holds.liftedAt))
  return (await db.$count(holds, isIt)) > 0
}
