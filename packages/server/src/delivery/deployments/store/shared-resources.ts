import { sql } from '../../../platform/db/drizzle.ts'
import type { Db } from '../../../platform/db/open.ts'

/** Cloud resource, and the existing module instances that have released to it successfully, the owner first. */
export type SharedResource = { organizationId: string; resource: string; moduleInstanceIds: string[] }

/** Maximum number of resources that are listed. */
const maxListed = 20

/**
 * Returns the cloud resources to which several existing module instances have released. In an organization with release
 * gates, only the first instance can release to it: see `execution/resource-owner.ts`, which compares the same columns.
 * Reads all organizations, and only columns that databases of earlier versions have.
 */
export async function listSharedResources(db: Db): Promise<SharedResource[]> {
  const { rows } = (await db.execute(sql`
    select organization_id as "organizationId", min(resource) as resource,
      array_agg(id order by first_release) as "moduleInstanceIds"
    from (
      select deployments.organization_id, module_instances.id, min(deployments.id) as first_release,
        min(coalesce(deployments.resource_arn, deployments.resource_name)) as resource,
        case when deployments.deployment_type = 'cloud:ec2'
          then concat_ws(' ', deployments.release ->> 'cloudAccountId', deployments.release ->> 'region', deployments.resource_name)
          else concat_ws(' ', deployments.resource_arn, deployments.release ->> 'aliasName') end as identity
      from deployments join module_instances on module_instances.id = deployments.module_instance_id
      where deployments.status = 'SUCCESS' and module_instances.status <> 'DESTROYED'
        and coalesce(deployments.resource_arn, deployments.resource_name) is not null
      group by deployments.organization_id, module_instances.id, identity
    ) as released
    group by organization_id, identity
    having count(*) > 1
    order by 1, 2
    limit ${maxListed}`)) as unknown as { rows: SharedResource[] }
  return rows
}
