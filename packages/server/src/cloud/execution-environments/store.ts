import type { CreateExecutionEnvironment, UpdateExecutionEnvironment } from '@sluice/contract'
import { and, eq, sql } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { type PageBounds, type PageRows, selectPage } from '../../platform/db/page.ts'
import { newId } from '../../platform/ids.ts'
import { type ExecutionEnvironmentRow, executionEnvironments, type RegisteredTask } from './tables.ts'

const one = (organizationId: string, id: string) =>
  and(eq(executionEnvironments.organizationId, organizationId), eq(executionEnvironments.id, id))

export async function insertExecutionEnvironment(
  tx: Db,
  organizationId: string,
  given: CreateExecutionEnvironment,
): Promise<ExecutionEnvironmentRow> {
  const [row] = await tx
    .insert(executionEnvironments)
    .values({ ...given, id: newId('ee'), organizationId })
    .returning()
  if (!row) throw new Error('the execution environment was not inserted')
  return row
}

export function listExecutionEnvironments(
  db: Db,
  organizationId: string,
  { cloudAccountId }: { cloudAccountId?: string },
  page: PageBounds,
): Promise<PageRows<ExecutionEnvironmentRow>> {
  const where = and(
    eq(executionEnvironments.organizationId, organizationId),
    cloudAccountId === undefined ? undefined : eq(executionEnvironments.cloudAccountId, cloudAccountId),
  )
  return selectPage(db, executionEnvironments, where, page)
}

export async function findExecutionEnvironment(
  db: Db,
  organizationId: string,
  id: string,
): Promise<ExecutionEnvironmentRow | undefined> {
  const [row] = await db.select().from(executionEnvironments).where(one(organizationId, id))
  return row
}

export async function updateExecutionEnvironment(
  tx: Db,
  organizationId: string,
  id: string,
  changes: UpdateExecutionEnvironment,
): Promise<ExecutionEnvironmentRow | undefined> {
  const [row] = await tx
    .update(executionEnvironments)
    .set({ ...changes, updatedAt: sql`now()` })
    .where(one(organizationId, id))
    .returning()
  return row
}

type Known = Pick<ExecutionEnvironmentRow, 'organizationId' | 'id'>

/** Records the result of a check. Returns undefined if the environment no longer exists. */
export async function saveCheck(
  db: Db,
  { organizationId, id }: Known,
  found: Pick<ExecutionEnvironmentRow, 'problem' | 'readyAt'>,
): Promise<ExecutionEnvironmentRow | undefined> {
  const [row] = await db.update(executionEnvironments).set(found).where(one(organizationId, id)).returning()
  return row
}

export async function saveRegisteredTask(
  db: Db,
  { organizationId, id }: Known,
  registeredTask: RegisteredTask,
): Promise<void> {
  await db.update(executionEnvironments).set({ registeredTask }).where(one(organizationId, id))
}

/** Locks and returns the environment. No other transaction can refer to it until this one ends. */
export async function lockExecutionEnvironment(
  tx: Db,
  organizationId: string,
  id: string,
): Promise<ExecutionEnvironmentRow | undefined> {
  const [row] = await tx.select().from(executionEnvironments).where(one(organizationId, id)).for('update')
  return row
}

/** Returns the environment, locked against deletion until the transaction ends. */
export async function shareLockExecutionEnvironment(
  tx: Db,
  organizationId: string,
  id: string,
): Promise<ExecutionEnvironmentRow | undefined> {
  const [row] = await tx.select().from(executionEnvironments).where(one(organizationId, id)).for('key share')
  return row
}

/** Deletes the environment. Returns false if it does not exist. */
export async function removeExecutionEnvironment(tx: Db, organizationId: string, id: string): Promise<boolean> {
  const removed = await tx
    .delete(executionEnvironments)
    .where(one(organizationId, id))
    .returning({ id: executionEnvironments.id })
  return removed.length > 0
}
