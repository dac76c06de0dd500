import type { DefaultNetwork } from '@sluice/contract'
import { and, eq } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import type { EnvironmentRow } from '../projects/tables.ts'
import { environmentNetworks } from './tables.ts'

const one = (organizationId: string, environmentId: string) =>
  and(eq(environmentNetworks.organizationId, organizationId), eq(environmentNetworks.environmentId, environmentId))

export async function findNetwork(
  db: Db,
  organizationId: string,
  environmentId: string,
): Promise<DefaultNetwork | undefined> {
  const { cloudAccountId, region, network, subnets, securityGroups } = environmentNetworks
  const [row] = await db
    .select({ cloudAccountId, region, network, subnets, securityGroups })
    .from(environmentNetworks)
    .where(one(organizationId, environmentId))
  return row
}

export async function saveNetwork(tx: Db, environment: EnvironmentRow, given: DefaultNetwork): Promise<void> {
  const { id: environmentId, organizationId, projectId } = environment
  await tx
    .insert(environmentNetworks)
    .values({ environmentId, organizationId, projectId, ...given })
    .onConflictDoUpdate({ target: environmentNetworks.environmentId, set: given })
}

export async function removeNetwork(tx: Db, organizationId: string, environmentId: string): Promise<void> {
  await tx.delete(environmentNetworks).where(one(organizationId, environmentId))
}
