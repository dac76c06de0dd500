import type { UpdateFreeze } from '@sluice/contract'
import { type AnyPgColumn, and, eq, gt, type SQL, sql } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { type PageBounds, type PageRows, selectPage } from '../../platform/db/page.ts'
import { newId } from '../../platform/ids.ts'
import type { Scope } from '../scope.ts'
import type { Freezes } from './machine.ts'
import { type FreezeOverrideRow, type FreezeRow, freezeOverrides, freezes } from './tables.ts'

const one = (organizationId: string, id: string) => and(eq(freezes.organizationId, organizationId), eq(freezes.id, id))

/**
 * In a query over something else: whether its organization has freezes at all. Most have none, and what they do all day
 * must not wait for another query to learn so. (The condition is an expression of its own: in a query over one table,
 * columns that stand in the selection itself lose the names of their tables.)
 */
export const hasFreezes = (organizationId: AnyPgColumn): SQL<boolean> =>
  sql<boolean>`exists (select from ${freezes} where ${eq(freezes.organizationId, organizationId)})`

/** All that decides what is stopped in an organization. */
export async function freezesOf(db: Db, organizationId: string, now: Date): Promise<Freezes> {
  const [known, overrides] = [await allFreezes(db, organizationId), await overridesInForce(db, organizationId, now)]
  return { freezes: known, overrides }
}

export const overridesInForce = (db: Db, organizationId: string, now: Date): Promise<FreezeOverrideRow[]> =>
  db
    .select()
    .from(freezeOverrides)
    .where(and(eq(freezeOverrides.organizationId, organizationId), gt(freezeOverrides.until, now)))

export async function insertFreeze(tx: Db, row: Omit<typeof freezes.$inferInsert, 'id'>): Promise<FreezeRow> {
  const [inserted] = await tx
    .insert(freezes)
    .values({ id: newId('frz'), ...row })
    .returning()
  if (!inserted) throw new Error('the freeze was not inserted')
  return inserted
}

export function listFreezes(
  db: Db,
  organizationId: string,
  { projectId, environmentId, moduleInstanceId }: { [level in keyof Scope]?: string },
  page: PageBounds,
): Promise<PageRows<FreezeRow>> {
  const where = and(
    eq(freezes.organizationId, organizationId),
    projectId === undefined ? undefined : eq(freezes.projectId, projectId),
    environmentId === undefined ? undefined : eq(freezes.environmentId, environmentId),
    moduleInstanceId === undefined ? undefined : eq(freezes.moduleInstanceId, moduleInstanceId),
  )
  return selectPage(db, freezes, where, page)
}

export const allFreezes = (db: Db, organizationId: string): Promise<FreezeRow[]> =>
  db.select().from(freezes).where(eq(freezes.organizationId, organizationId))

export const countFreezes = (db: Db, organizationId: string): Promise<number> =>
  db.$count(freezes, eq(freezes.organizationId, organizationId))

export async function findFreeze(db: Db, organizationId: string, id: string): Promise<FreezeRow | undefined> {
  const [row] = await db.select().from(freezes).where(one(organizationId, id))
  return row
}

/** The freeze, which nobody else changes before the transaction ends. */
export async function lockFreeze(tx: Db, organizationId: string, id: string): Promise<FreezeRow | undefined> {
  const [row] = await tx.select().from(freezes).where(one(organizationId, id)).for('update')
  return row
}

export async function updateFreeze(tx: Db, id: string, changes: UpdateFreeze): Promise<FreezeRow> {
  const [row] = await tx
    .update(freezes)
    .set({ ...changes, updatedAt: sql`now()` })
    .where(eq(freezes.id, id))
    .returning()
  if (!row) throw new Error(`the freeze ${id} was locked and is gone`)
  return row
}

export async function removeFreeze(tx: Db, organizationId: string, id: string): Promise<FreezeRow | undefined> {
  const [row] = await tx.delete(freezes).where(one(organizationId, id)).returning()
  return row
}

export async function insertOverride(
  tx: Db,
  row: Omit<typeof freezeOverrides.$inferInsert, 'id'>,
): Promise<FreezeOverrideRow> {
  const [inserted] = await tx
    .insert(freezeOverrides)
    .values({ id: newId('fro'), ...row })
    .returning()
  if (!inserted) throw new Error('the override was not inserted')
  return inserted
}

export const listOverrides = (
  db: Db,
  { organizationId, id }: FreezeRow,
  page: PageBounds,
): Promise<PageRows<FreezeOverrideRow>> =>
  selectPage(
    db,
    freezeOverrides,
    and(eq(freezeOverrides.organizationId, organizationId), eq(freezeOverrides.freezeId, id)),
    page,
  )
