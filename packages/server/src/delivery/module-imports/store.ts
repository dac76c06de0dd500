import { moduleInstances } from '../../modules/module-instances/tables.ts'
import { and, asc, eq, inArray, ne, or, sql } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { latestDeploymentId } from '../deployments/store/latest.ts'
import { deployments } from '../deployments/store/tables.ts'

/** Instance that releases to a resource, according to its last deployment or its module. */
export type Releaser = {
  id: string
  environmentId: string
  givenId: string
  type: string
  resourceArn: string
  /** For a function, if a deployment names it. */
  aliasName: string | null
}

/** Returns the instances that release to these resources. */
export async function releasersTo(db: Db, organizationId: string, resourceArns: string[]): Promise<Releaser[]> {
  if (resourceArns.length === 0) return []
  const resourceArn = sql<string>`coalesce(${deployments.resourceArn}, ${moduleInstances.resourceArn})`
  const { id, environmentId, givenId, type } = moduleInstances
  return db
    .select({
      id,
      environmentId,
      givenId,
      type,
      resourceArn,
      aliasName: sql<string | null>`${deployments.release} ->> 'aliasName'`,
    })
    .from(moduleInstances)
    .leftJoin(deployments, eq(deployments.id, latestDeploymentId))
    .where(
      and(
        eq(moduleInstances.organizationId, organizationId),
        ne(moduleInstances.status, 'DESTROYED'),
        or(inArray(deployments.resourceArn, resourceArns), inArray(moduleInstances.resourceArn, resourceArns)),
      ),
    )
    .orderBy(asc(moduleInstances.id))
}

/** Returns the deployment that was created with an imported instance. */
export async function firstDeploymentOf(
  db: Db,
  organizationId: string,
  moduleInstanceId: string,
): Promise<string | undefined> {
  const [row] = await db
    .select({ id: deployments.id })
    .from(deployments)
    .where(and(eq(deployments.organizationId, organizationId), eq(deployments.moduleInstanceId, moduleInstanceId)))
    .orderBy(asc(deployments.id))
    .limit(1)
  return row?.id
}

/** Serializes the imports of an organization, because concurrent imports of one resource would create two instances. */
export async function lockImports(tx: Db, organizationId: string): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`imports ${organizationId}`}, 0))`)
}
