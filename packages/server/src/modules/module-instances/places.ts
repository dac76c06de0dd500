import type { Scope } from '../../platform/auth/access.ts'
import { and, eq, inArray, ne } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { stacks } from '../../stacks/stacks/tables.ts'
import { moduleInstances } from './tables.ts'

/** Where a module instance is. */
export async function scopeOfInstance(db: Db, organizationId: string, id: string): Promise<Scope | undefined> {
  const [row] = await db
    .select({ projectId: moduleInstances.projectId, environmentId: moduleInstances.environmentId })
    .from(moduleInstances)
    .where(and(eq(moduleInstances.organizationId, organizationId), eq(moduleInstances.id, id)))
  return row
}

/** Where stacks are: each in the environment of the instance whose infrastructure it is, else in its project alone. */
export async function scopesOfStacks(db: Db, organizationId: string, ids: string[]): Promise<Scope[]> {
  const isOfStack = and(eq(moduleInstances.stackId, stacks.id), ne(moduleInstances.status, 'DESTROYED'))
  const rows = await db
    .select({ projectId: stacks.projectId, environmentId: moduleInstances.environmentId })
    .from(stacks)
    .leftJoin(moduleInstances, isOfStack)
    .where(and(eq(stacks.organizationId, organizationId), inArray(stacks.id, ids)))
  return rows.map(({ projectId, environmentId }) => ({ projectId, environmentId: environmentId ?? undefined }))
}
