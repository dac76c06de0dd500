import { and, eq } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { type DeploymentResourcesRow, deploymentResources } from './tables.ts'

/** What was seen when the deployment had ended; undefined where nobody has looked yet. */
export async function findAtEnd(
  db: Db,
  organizationId: string,
  deploymentId: string,
): Promise<DeploymentResourcesRow | undefined> {
  const [row] = await db
    .select()
    .from(deploymentResources)
    .where(
      and(eq(deploymentResources.organizationId, organizationId), eq(deploymentResources.deploymentId, deploymentId)),
    )
  return row
}

/** Keeps what was seen first: a look that is repeated after a crash comes later. */
export async function keepAtEnd(db: Db, row: DeploymentResourcesRow): Promise<void> {
  await db.insert(deploymentResources).values(row).onConflictDoNothing()
}
