import type { Artifact } from '@sluice/contract'
import { deployments } from '../../delivery/deployments/store/tables.ts'
import { moduleInstances } from '../../modules/module-instances/tables.ts'
import { alias, and, desc, eq, inArray, ne, sql } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { type MarkedArtifact, marksOf } from './marks.ts'
import { mentionsIn } from './needs.ts'

type OfInstance = MarkedArtifact & { moduleInstanceId: string }
export type RunsAt = Artifact['runningOn']

/**
 * Returns where artifacts are running that the caller can see: the last successful releases that reference them, of
 * their instances and of instances with the same name in other environments.
 */
export async function runningOf(
  db: Db,
  organizationId: string,
  artifacts: readonly OfInstance[],
): Promise<(artifact: OfInstance) => RunsAt> {
  const ids = [...new Set(artifacts.map(({ moduleInstanceId }) => moduleInstanceId))]
  if (ids.length === 0) return () => []
  const { id, moduleInstanceId, status, completedAt } = deployments
  const last = db
    .select({ id, completedAt })
    .from(deployments)
    .where(and(eq(moduleInstanceId, moduleInstances.id), eq(status, 'SUCCESS')))
    .orderBy(desc(completedAt), desc(id))
    .limit(1)
    .as('last')
  const rows = await db
    .select({
      builtId: built.id,
      moduleInstanceId: moduleInstances.id,
      environmentId: moduleInstances.environmentId,
      deploymentId: last.id,
      since: last.completedAt,
    })
    .from(built)
    .innerJoin(
      moduleInstances,
      and(
        eq(moduleInstances.organizationId, built.organizationId),
        eq(moduleInstances.projectId, built.projectId),
        eq(moduleInstances.givenId, built.givenId),
      ),
    )
    .innerJoinLateral(last, sql`true`)
    .where(
      and(eq(built.organizationId, organizationId), inArray(built.id, ids), ne(moduleInstances.status, 'DESTROYED')),
    )
  const released = [...new Set(rows.map(({ deploymentId }) => deploymentId))]
  const mentioned = await mentionsIn(db, organizationId, released, { isReleased: true })
  return (artifact) => {
    const marks = marksOf(artifact)
    const names = (deployment: string) => mentioned.some(({ id, mark }) => id === deployment && marks.includes(mark))
    return rows
      .filter(({ builtId, deploymentId }) => builtId === artifact.moduleInstanceId && names(deploymentId))
      .map(({ moduleInstanceId, environmentId, deploymentId, since }) => ({
        moduleInstanceId,
        environmentId,
        deploymentId,
        ...(since && { since: since.toISOString() }),
      }))
  }
}

const built = alias(moduleInstances, 'built')
