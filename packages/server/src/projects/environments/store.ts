import type { CreateEnvironment, UpdateEnvironment } from '@sluice/contract'
import { and, eq, sql } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { type PageBounds, type PageRows, selectPage } from '../../platform/db/page.ts'
import { newId } from '../../platform/ids.ts'
import { type EnvironmentRow, environments } from '../projects/tables.ts'

const one = (organizationId: string, id: string) =>
  and(eq(environments.organizationId, organizationId), eq(environments.id, id))

export async function insertEnvironment(
  tx: Db,
  organizationId: string,
  given: CreateEnvironment & { previewEnvironmentId?: string },
): Promise<EnvironmentRow> {
  const [row] = await tx
    .insert(environments)
    .values({ ...given, id: newId('env'), organizationId })
    .returning()
  if (!row) throw new Error('the environment was not inserted')
  return row
}

export function listEnvironments(
  db: Db,
  organizationId: string,
  { projectId }: { projectId?: string },
  page: PageBounds,
): Promise<PageRows<EnvironmentRow>> {
  const where = and(
    eq(environments.organizationId, organizationId),
    projectId === undefined ? undefined : eq(environments.projectId, projectId),
  )
  return selectPage(db, environments, where, page)
}

export async function findEnvironment(db: Db, organizationId: string, id: string): Promise<EnvironmentRow | undefined> {
  const [row] = await db.select().from(environments).where(one(organizationId, id))
  return row
}

/** Loads an environment and prevents its deletion until the end of the transaction. */
export async function lockEnvironmentShared(
  tx: Db,
  organizationId: string,
  id: string,
): Promise<EnvironmentRow | undefined> {
  const [row] = await tx.select().from(environments).where(one(organizationId, id)).for('key share')
  return row
}

export async function updateEnvironment(
  tx: Db,
  organizationId: string,
  id: string,
  changes: UpdateEnvironment,
): Promise<EnvironmentRow | undefined> {
  const [row] = await tx
    .update(environments)
    .set({ ...changes, updatedAt: sql`now()` })
    .where(one(organizationId, id))
    .returning()
  return row
}

/** Loads and locks an environment, so that no other transaction can refer to it. */
export async function lockEnvironment(tx: Db, organizationId: string, id: string): Promise<EnvironmentRow | undefined> {
  const [row] = await tx.select().from(environments).where(one(organizationId, id)).for('update')
  return row
}

export async function removeEnvironment(tx: Db, organizationId: string, id: string): Promise<void> {
  await tx.delete(environments).where(one(organizationId, id))
}
