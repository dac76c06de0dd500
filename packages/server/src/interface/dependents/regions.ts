import { certificates } from '../../cloud/certificates/tables.ts'
import type { CloudAccountRow } from '../../cloud/cloud-accounts/tables.ts'
import { eventQueues } from '../../cloud/event-queues/tables.ts'
import { executionEnvironments } from '../../cloud/execution-environments/tables.ts'
import { latestDeploymentId } from '../../delivery/deployments/store/latest.ts'
import { deployments } from '../../delivery/deployments/store/tables.ts'
import { moduleInstances } from '../../modules/module-instances/tables.ts'
import { and, eq, isNotNull, ne, sql } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'

/**
 * Returns the regions in which an account is used: by latest releases, execution environments, certificates and its
 * queue.
 */
export async function regionsOfCloudAccount(
  db: Db,
  { organizationId, id }: Pick<CloudAccountRow, 'organizationId' | 'id'>,
): Promise<string[]> {
  const ofReleases = db
    .selectDistinct({ region: sql<string>`${deployments.release} ->> 'region'` })
    .from(moduleInstances)
    .innerJoin(deployments, eq(deployments.id, latestDeploymentId))
    .where(
      and(
        eq(moduleInstances.organizationId, organizationId),
        ne(moduleInstances.status, 'DESTROYED'),
        eq(sql`${deployments.release} ->> 'cloudAccountId'`, id),
      ),
    )
  const ofEnvironments = db
    .selectDistinct({ region: executionEnvironments.region })
    .from(executionEnvironments)
    .where(
      and(
        eq(executionEnvironments.organizationId, organizationId),
        eq(executionEnvironments.cloudAccountId, id),
        isNotNull(executionEnvironments.region),
      ),
    )
  const ofQueues = db
    .select({ region: sql<string>`split_part(${eventQueues.queueArn}, ':', 4)` })
    .from(eventQueues)
    .where(and(eq(eventQueues.organizationId, organizationId), eq(eventQueues.cloudAccountId, id)))
  const ofCertificates = db
    .selectDistinct({ region: certificates.region })
    .from(certificates)
    .where(and(eq(certificates.organizationId, organizationId), eq(certificates.cloudAccountId, id)))
  const rows = (await Promise.all([ofReleases, ofEnvironments, ofQueues, ofCertificates])).flat()
  return [...new Set(rows.flatMap(({ region }) => region ?? []))].toSorted()
}
