import type { HoldRule } from '@sluice/contract'
import { type AnyPgColumn, and, eq, isNull, type SQL, sql } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import type { PageBounds, PageRows } from '../../platform/db/page.ts'
import { newId } from '../../platform/ids.ts'
import { ruleStore } from '../rule-store.ts'
import { type HoldRow, holdRules, holds } from './tables.ts'

export const holdStore = ruleStore(holds, 'hold', 'hld')

const one = (organizationId: string, id: string) => and(eq(holds.organizationId, organizationId), eq(holds.id, id))

/** In a query over something else: whether anything of its organization is held. */
export const hasHolds = (organizationId: AnyPgColumn): SQL<boolean> =>
  sql<boolean>`exists (select from ${holds}
    where ${and(eq(holds.organizationId, organizationId), isNull(holds.liftedAt))})`

/** The same: what is done in its environment after a rollback; null where nothing is. */
export const afterRollbackIn = (environmentId: AnyPgColumn): SQL<HoldRule['mode'] | null> =>
  sql<HoldRule['mode'] | null>`(select ${holdRules.mode} from ${holdRules}
    where ${and(eq(holdRules.environmentId, environmentId), holdRules.afterRollback)})`

/** How many hold just this: the instance, or all of the environment. */
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

/** One that an instance has by itself; undefined where it has one already. */
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

/** The holds in a project that are not lifted. */
export const openHoldsIn = (db: Db, organizationId: string, projectId: string): Promise<HoldRow[]> =>
  db
    .select()
    .from(holds)
    .where(and(eq(holds.organizationId, organizationId), eq(holds.projectId, projectId), isNull(holds.liftedAt)))

/** Lets go what is held; undefined where it is not, so that of two people one does. */
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

/** Whether an instance is held by itself. */
export const isHeldByRollback = async (db: Db, moduleInstanceId: string): Promise<boolean> => {
  const isIt = and(eq(holds.moduleInstanceId, moduleInstanceId), eq(holds.origin, 'ROLLBACK'), isNull(holds.liftedAt))
  return (await db.$count(holds, isIt)) > 0
}
