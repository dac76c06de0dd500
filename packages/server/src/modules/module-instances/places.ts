import type { Scope } from '../../platform/auth/access.ts'
import { and, eq, inArray, ne } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { stacks } from '../../stacks/stacks/tables.ts'
import { moduleInstances } from './tables.ts'

const isOfStack = and(eq(moduleInstances.stackId, stacks.id), ne(moduleInstances.status, 'DESTROYED'))

/** Returns the project and environment of a module instance. */
export async function scopeOfInstance(db: Db, organizationId: string, id: string): Promise<Scope | undefined> {
  const [row] = await db
    .select({ projectId: moduleInstances.projectId, environmentId: moduleInstances.environmentId })
    .from(moduleInstances)
    .where(and(eq(moduleInstances.organizationId, organizationId), eq(moduleInstances.id, id)))
  return row
}

/** Returns the project and environment of a stack, and its module instance, if any. */
export async function placeOfStack(
  db: Db,
  organizationId: string,
  id: string,
): Promise<(Scope & { moduleInstanceId?: string | undefined }) | undefined> {
  const [row] = await db
    .select({
      projectId: stacks.projectId,
      environmentId: moduleInstances.environmentId,
      moduleInstanceId: moduleInstances.id,
    })
    .from(stacks)
    .leftJoin(moduleInstances, isOfStack)
    .where(and(eq(stacks.organizationId, organizationId), eq(stacks.id, id)))
  if (!row) return undefined
  const { projectId, environmentId, moduleInstanceId } = row
  return { projectId, environmentId: environmentId ?? undefined, moduleInstanceId: moduleInstanceId ?? undefined }
}

/** Returns the scopes of stacks: the environment of their instance, or else only the project. */
export async function scopesOfStacks(db: Db, organizationId: string, ids: string[]): Promise<Scope[]> {
  const rows = await db
    .select({ projectId: stacks.projectId, environmentId: moduleInstances.environmentId })
    .from(stacks)
    .leftJoin(moduleInstances, isOfStack)
    .where(and(eq(stacks.organizationId, organizationId), inArray(stacks.id, ids)))
  return rows.map(({ projectId, environmentId }) => ({ projectId, environmentId: environmentId ?? undefined }))
}
