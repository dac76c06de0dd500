import { and, eq, getTableColumns, inArray, notExists, sql } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { columnSlots, columnValues, prepared } from '../../platform/db/prepared.ts'
import { type LoadedDeployment, loadedOf, selectForWork } from '../deployments/store/store.ts'
import { deployments } from '../deployments/store/tables.ts'
import { type DeploymentResourcesRow, deploymentResources } from './tables.ts'

/**
 * Time after the end within which the resources of a deployment are stored, unless the engine is down. Milliseconds.
 */
export const storedWithinMs = 900_000

/** Returns the resources stored at the end of a deployment; undefined if they are not stored yet. */
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

const toKeep = prepared((db) =>
  selectForWork(db)
    .where(
      and(
        eq(deployments.id, sql.placeholder('id')),
        notExists(
          db
            .select({ one: sql`1` })
            .from(deploymentResources)
            .where(eq(deploymentResources.deploymentId, deployments.id)),
        ),
      ),
    )
    .prepare('deployment_to_keep'),
)

/** Loads a deployment without stored resources for the engine's handler, by its id. */
export async function loadUnstored(db: Db, id: string): Promise<LoadedDeployment | undefined> {
  const [found] = await toKeep(db).execute({ id })
  return found && loadedOf(found)
}

const names = Object.keys(getTableColumns(deploymentResources)) as (keyof DeploymentResourcesRow)[]

const insert = prepared((db) =>
  db.insert(deploymentResources).values(columnSlots(names)).onConflictDoNothing().prepare('keep_resources'),
)

/** Stores the resources, unless they are stored already, such as by a call that crashed and is being repeated. */
export async function saveAtEnd(db: Db, row: DeploymentResourcesRow): Promise<void> {
  await insert(db).execute(columnValues(deploymentResources, names, row))
}

/** Returns the digests of released images, as the tasks of these deployments ran them. */
export async function digestsAtEnd(
  db: Db,
  organizationId: string,
  deploymentIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (deploymentIds.length === 0) return new Map()
  const { deploymentId, resources } = deploymentResources
  const digest = sql<string | null>`jsonb_path_query_first(${resources}, '$[*].imageDigest') #>> '{}'`
  const rows = await db
    .select({ deploymentId, digest })
    .from(deploymentResources)
    .where(and(eq(deploymentResources.organizationId, organizationId), inArray(deploymentId, [...deploymentIds])))
  return new Map(rows.flatMap(({ deploymentId, digest }) => (digest === null ? [] : [[deploymentId, digest] as const])))
}
