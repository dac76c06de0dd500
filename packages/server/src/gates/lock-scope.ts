import { moduleInstances } from '../modules/module-instances/tables.ts'
import { and, eq } from '../platform/db/drizzle.ts'
import type { Db } from '../platform/db/open.ts'
import { referenceNotFound } from '../platform/http/references.ts'
import { environments, projects } from '../projects/projects/tables.ts'

export type NamedScope = { projectId?: string; environmentId?: string; moduleInstanceId?: string }

type ResolvedScope = { projectId: string | null; environmentId: string | null; moduleInstanceId: string | null }

/**
 * Locks the scope that a request names, so that it cannot be deleted before the end of the transaction, and returns it
 * with its parents. Rejects a scope that the organization does not have.
 */
export async function lockScope(tx: Db, organizationId: string, named: NamedScope): Promise<ResolvedScope> {
  const place = await narrowest(tx, organizationId, named)
  for (const level of ['projectId', 'environmentId'] as const) {
    const id = named[level]
    if (id !== undefined && id !== place[level]) throw referenceNotFound(level, nouns[level], id)
  }
  return place
}

const nouns = { projectId: 'project', environmentId: 'environment' } as const

async function narrowest(tx: Db, organizationId: string, named: NamedScope): Promise<ResolvedScope> {
  const { projectId, environmentId, moduleInstanceId } = named
  if (moduleInstanceId !== undefined) {
    const isIt = and(eq(moduleInstances.organizationId, organizationId), eq(moduleInstances.id, moduleInstanceId))
    const [row] = await tx.select().from(moduleInstances).where(isIt).for('key share')
    if (!row) throw referenceNotFound('moduleInstanceId', 'module instance', moduleInstanceId)
    return { projectId: row.projectId, environmentId: row.environmentId, moduleInstanceId }
  }
  if (environmentId !== undefined) {
    const isIt = and(eq(environments.organizationId, organizationId), eq(environments.id, environmentId))
    const [row] = await tx.select().from(environments).where(isIt).for('key share')
    if (!row) throw referenceNotFound('environmentId', 'environment', environmentId)
    return { projectId: row.projectId, environmentId, moduleInstanceId: null }
  }
  if (projectId === undefined) return { projectId: null, environmentId: null, moduleInstanceId: null }
  const isIt = and(eq(projects.organizationId, organizationId), eq(projects.id, projectId))
  const [row] = await tx.select({ id: projects.id }).from(projects).where(isIt).for('key share')
  if (!row) throw referenceNotFound('projectId', 'project', projectId)
  return { projectId, environmentId: null, moduleInstanceId: null }
}
