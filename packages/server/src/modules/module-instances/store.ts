import type { CreateModuleInstance, ModuleInstanceStatus, UpdateModuleInstance } from '@sluice/contract'
import { and, asc, eq, getTableColumns, inArray, ne, notInArray, type SQL, sql } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { type PageBounds, type PageRows, selectPage } from '../../platform/db/page.ts'
import { prepared } from '../../platform/db/prepared.ts'
import { type EnvironmentRow, environments } from '../../projects/projects/tables.ts'
import { moduleVersions } from '../module-definitions/tables.ts'
import { type ModuleInstanceRow, moduleInstanceReferences, moduleInstances } from './tables.ts'

export interface ModuleInstanceFilters {
  ids?: string[]
  projectId?: string
  environmentId?: string
  moduleDefinitionId?: string
  givenId?: string
  status?: ModuleInstanceStatus[]
}

/** Resolved definition, version and environment of a new instance. */
export type Placement = Pick<ModuleInstanceRow, 'id' | 'projectId' | 'moduleVersionId' | 'type' | 'status' | 'stackId'>

/** Resolved changes of an instance. */
export type InstanceChanges = Omit<UpdateModuleInstance, 'runStack' | 'autoapprove'> &
  Partial<
    Pick<
      ModuleInstanceRow,
      | 'projectId'
      | 'type'
      | 'status'
      | 'error'
      | 'stackId'
      | 'latestRunId'
      | 'appliedVersionId'
      | 'appliedInput'
      | 'appliedAt'
    >
  >

const one = (organizationId: string, id: string) =>
  and(eq(moduleInstances.organizationId, organizationId), eq(moduleInstances.id, id))

export async function insertModuleInstance(
  tx: Db,
  organizationId: string,
  given: Omit<CreateModuleInstance, 'runStack' | 'autoapprove'> & Placement,
): Promise<ModuleInstanceRow> {
  const [row] = await tx
    .insert(moduleInstances)
    .values({ ...given, organizationId })
    .returning()
  if (!row) throw new Error('the module instance was not inserted')
  return row
}

const findStatement = prepared((db) =>
  db
    .select()
    .from(moduleInstances)
    .where(
      and(
        eq(moduleInstances.organizationId, sql.placeholder('organizationId')),
        eq(moduleInstances.id, sql.placeholder('id')),
      ),
    )
    .prepare('find_module_instance'),
)

export async function findModuleInstance(
  db: Db,
  organizationId: string,
  id: string,
): Promise<ModuleInstanceRow | undefined> {
  const [row] = await findStatement(db).execute({ organizationId, id })
  return row
}

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

/** Returns the id of a module instance by its id, or by givenId and environment within a project. */
export async function findInstanceNamed(
  db: Db,
  { organizationId, projectId }: { organizationId: string; projectId: string },
  { id, givenId, environment }: { id?: string; givenId?: string; environment?: string },
): Promise<string | undefined> {
  const named =
    id === undefined
      ? and(
          eq(moduleInstances.projectId, projectId),
          eq(moduleInstances.givenId, givenId ?? ''),
          eq(environments.givenId, environment ?? ''),
          ne(moduleInstances.status, 'DESTROYED'),
        )
      : eq(moduleInstances.id, id)
  const [row] = await db
    .select({ id: moduleInstances.id })
    .from(moduleInstances)
    .innerJoin(environments, eq(environments.id, moduleInstances.environmentId))
    .where(and(eq(moduleInstances.organizationId, organizationId), named))
  return row?.id
}

export function listModuleInstances(
  db: Db,
  organizationId: string,
  { ids, projectId, environmentId, moduleDefinitionId, givenId, status }: ModuleInstanceFilters,
  page: PageBounds,
): Promise<PageRows<ModuleInstanceRow>> {
  const where = and(
    eq(moduleInstances.organizationId, organizationId),
    ids && inArray(moduleInstances.id, ids),
    projectId === undefined ? undefined : eq(moduleInstances.projectId, projectId),
    environmentId === undefined ? undefined : eq(moduleInstances.environmentId, environmentId),
    moduleDefinitionId === undefined ? undefined : eq(moduleInstances.moduleDefinitionId, moduleDefinitionId),
    givenId === undefined ? undefined : eq(moduleInstances.givenId, givenId),
    statusFilter(status, ids),
  )
  return selectPage(db, moduleInstances, where, page)
}

/** Excludes destroyed instances unless the request asks for them. */
function statusFilter(status: ModuleInstanceStatus[] | undefined, ids: string[] | undefined): SQL | undefined {
  if (status) return inArray(moduleInstances.status, status)
  return ids ? undefined : ne(moduleInstances.status, 'DESTROYED')
}

/**
 * Serializes reference changes within an environment, because two valid ones could create a cycle together. Call it
 * before locking the instance, to prevent deadlocks.
 */
export async function shareLockReferencesAround(tx: Db, organizationId: string, id: string): Promise<void> {
  await tx
    .select({ id: environments.id })
    .from(environments)
    .innerJoin(moduleInstances, eq(moduleInstances.environmentId, environments.id))
    .where(one(organizationId, id))
    .for('no key update', { of: environments })
}

/** Locks and returns the instance. No other transaction can change, deploy or refer to it until this one ends. */
export async function lockModuleInstance(
  tx: Db,
  organizationId: string,
  id: string,
): Promise<ModuleInstanceRow | undefined> {
  const [row] = await tx.select().from(moduleInstances).where(one(organizationId, id)).for('update')
  return row
}

export async function updateModuleInstance(
  tx: Db,
  organizationId: string,
  id: string,
  changes: InstanceChanges,
): Promise<ModuleInstanceRow | undefined> {
  const [row] = await tx
    .update(moduleInstances)
    .set({ ...changes, updatedAt: sql`now()` })
    .where(one(organizationId, id))
    .returning()
  return row
}

/** Describes up to 20 references to an instance, such as `module instance web (mi_…), by its input network_id`. */
export async function referrersOf(tx: Db, organizationId: string, id: string): Promise<string[]> {
  const rows = await tx
    .select({ id: moduleInstances.id, givenId: moduleInstances.givenId, path: moduleInstanceReferences.inputPath })
    .from(moduleInstanceReferences)
    .innerJoin(moduleInstances, eq(moduleInstances.id, moduleInstanceReferences.moduleInstanceId))
    .where(
      and(eq(moduleInstanceReferences.organizationId, organizationId), eq(moduleInstanceReferences.referredId, id)),
    )
    .orderBy(moduleInstances.id, moduleInstanceReferences.inputPath)
    .limit(20)
  return rows.map((row) => `module instance ${row.givenId} (${row.id}), by its input ${row.path}`)
}

/** Returns the ids that exist and are not destroyed, locked against deletion until the transaction ends. */
export async function shareLockModuleInstances(tx: Db, organizationId: string, ids: string[]): Promise<string[]> {
  if (ids.length === 0) return []
  const rows = await tx
    .select({ id: moduleInstances.id })
    .from(moduleInstances)
    .where(
      and(
        eq(moduleInstances.organizationId, organizationId),
        inArray(moduleInstances.id, ids),
        notInArray(moduleInstances.status, ['DESTROYING', 'DESTROYED']),
      ),
    )
    .orderBy(moduleInstances.id)
    .for('key share')
  return rows.map(({ id }) => id)
}

/** Replaces the stored references of an instance. */
export async function replaceReferences(
  tx: Db,
  organizationId: string,
  moduleInstanceId: string,
  references: readonly { path: string; id: string }[],
): Promise<void> {
  await tx
    .delete(moduleInstanceReferences)
    .where(
      and(
        eq(moduleInstanceReferences.organizationId, organizationId),
        eq(moduleInstanceReferences.moduleInstanceId, moduleInstanceId),
      ),
    )
  if (references.length === 0) return
  await tx
    .insert(moduleInstanceReferences)
    .values(references.map(({ path, id }) => ({ organizationId, moduleInstanceId, inputPath: path, referredId: id })))
}

/** Reports whether an instance ever had a deployment or run. Implemented by a higher layer. */
export type HasHistory = (tx: Db, organizationId: string, id: string) => Promise<boolean>

/** Callback for created or updated instances, within the transaction. */
export type OnInstancePlaced = (tx: Db, organizationId: string, id: string) => Promise<void>

/** Deletes an instance without history, or marks one with history as `DESTROYED`. */
export async function removeModuleInstance(
  tx: Db,
  organizationId: string,
  id: string,
  hasHistory: HasHistory,
): Promise<void> {
  if (!(await hasHistory(tx, organizationId, id))) {
    await tx.delete(moduleInstances).where(one(organizationId, id))
    return
  }
  await replaceReferences(tx, organizationId, id, [])
  await tx
    .update(moduleInstances)
    .set({ status: 'DESTROYED', error: null, updatedAt: sql`now()` })
    .where(one(organizationId, id))
}

/** Lists instances whose stack block may have triggers, in a stable order. Parts of a block may be templates. */
export async function idsWithTriggers(db: Db, organizationId: string): Promise<string[]> {
  const rows = await db
    .select({ id: moduleInstances.id })
    .from(moduleInstances)
    .innerJoin(moduleVersions, eq(moduleVersions.id, moduleInstances.moduleVersionId))
    .where(
      and(
        eq(moduleInstances.organizationId, organizationId),
        notInArray(moduleInstances.status, ['DESTROYED', 'DESTROYING']),
        sql`(${moduleVersions.config} -> 'stack')::text like '%triggers%'`,
      ),
    )
    .orderBy(asc(moduleInstances.id))
  return rows.map(({ id }) => id)
}
