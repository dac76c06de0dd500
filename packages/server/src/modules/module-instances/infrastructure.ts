import { and, eq, gt } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { stackWorkspaces } from '../../stacks/stacks/tables.ts'
import type { ModuleInstanceRow } from './tables.ts'

/** Selects a stack's workspaces that have a state. */
export const withState = (organizationId: string, stackId: string) =>
  and(
    eq(stackWorkspaces.organizationId, organizationId),
    eq(stackWorkspaces.stackId, stackId),
    gt(stackWorkspaces.latestStateSequence, 0),
  )

/** Reports whether an instance may have cloud resources. */
export async function hasInfrastructure(
  tx: Db,
  { organizationId, stackId, appliedAt }: ModuleInstanceRow,
): Promise<boolean> {
  if (stackId === null) return false
  if (appliedAt !== null) return true
  const [row] = await tx
    .select({ id: stackWorkspaces.id })
    .from(stackWorkspaces)
    .where(withState(organizationId, stackId))
    .limit(1)
  return row !== undefined
}
