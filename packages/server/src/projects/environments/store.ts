import type { CreateEnvironment, UpdateEnvironment } from '@sluice/contract'
import { unfinishedStatuses } from '../../delivery/deployments/machine.ts'
import { deployments } from '../../delivery/deployments/tables.ts'
import { moduleInstances } from '../../modules/module-instances/tables.ts'
import { and, eq, getTableColumns, inArray, ne, or, sql } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { type PageBounds, type PageRows, selectPage } from '../../platform/db/page.ts'
import { linesOf } from '../../platform/db/users.ts'
import { newId } from '../../platform/ids.ts'
import { type EnvironmentRow, environments } from '../projects/tables.ts'

const one = (organizationId: string, id: string) =>
  and(eq(environments.organizationId, organizationId), eq(environments.id, id))

export async function insertEnvironment(
  tx: Db,
  organizationId: string,
  given: CreateEnvironment,
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

/** The environment that a module instance is in. */
export async function findEnvironmentOfInstance(
  db: Db,
  organizationId: string,
  moduleInstanceId: string,
): Promise<EnvironmentRow | undefined> {
  const [row] = await db
    .select(getTableColumns(environments))
    .from(environments)
    .innerJoin(moduleInstances, eq(moduleInstances.environmentId, environments.id))
    .where(and(eq(environments.organizationId, organizationId), eq(moduleInstances.id, moduleInstanceId)))
  return row
}

/** The environment, if there is one; it cannot be deleted before the transaction ends. */
export async function holdEnvironment(tx: Db, organizationId: string, id: string): Promise<EnvironmentRow | undefined> {
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

/** The environment, with nobody else able to refer to it before the transaction ends. */
export async function lockEnvironment(tx: Db, organizationId: string, id: string): Promise<EnvironmentRow | undefined> {
  const [row] = await tx.select().from(environments).where(one(organizationId, id)).for('update')
  return row
}

const destroyedIn = (organizationId: string, environmentId: string) =>
  and(
    eq(moduleInstances.organizationId, organizationId),
    eq(moduleInstances.environmentId, environmentId),
    eq(moduleInstances.status, 'DESTROYED'),
  )

/** What lives in the environment, and what is being deployed to it although it lives elsewhere by now. */
export function usersOfEnvironment(tx: Db, organizationId: string, environmentId: string): Promise<string[]> {
  return linesOf(tx, [
    {
      what: 'module instance',
      table: moduleInstances,
      where: and(
        eq(moduleInstances.organizationId, organizationId),
        eq(moduleInstances.environmentId, environmentId),
        ne(moduleInstances.status, 'DESTROYED'),
      ),
    },
    {
      what: 'deployment',
      table: deployments,
      where: and(deploymentsTo(organizationId, environmentId), inArray(deployments.status, unfinishedStatuses)),
    },
  ])
}

/** Removes an environment that nothing uses, with its history: deployments to it, and what was destroyed in it. */
export async function removeEnvironment(tx: Db, organizationId: string, id: string): Promise<void> {
  const where = destroyedIn(organizationId, id)
  const destroyed = tx.select({ id: moduleInstances.id }).from(moduleInstances).where(where)
  await tx
    .delete(deployments)
    .where(or(deploymentsTo(organizationId, id), inArray(deployments.moduleInstanceId, destroyed)))
  await tx.delete(moduleInstances).where(where)
  await tx.delete(environments).where(one(organizationId, id))
}

const deploymentsTo = (organizationId: string, environmentId: string) =>
  and(eq(deployments.organizationId, organizationId), eq(deployments.environmentId, environmentId))
