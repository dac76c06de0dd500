import { deployments } from '../../delivery/deployments/store/tables.ts'
import { moduleInstances } from '../../modules/module-instances/tables.ts'
import { pipelineStepExecutions } from '../../pipelines/pipelines/tables.ts'
import { and, eq, inArray, or } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { withAllScopesVisible } from '../../platform/db/organization.ts'
import type { FindDependents } from '../../platform/records.ts'
import { removeStack } from '../../stacks/stacks/store.ts'

/** Deletes the history of an unused environment: its deployments and destroyed instances. */
export const removeHistoryOfEnvironment = (db: Db, organizationId: string, id: string): Promise<void> =>
  withAllScopesVisible(db, (tx) => removeHistory(tx, organizationId, id))

async function removeHistory(tx: Db, organizationId: string, id: string): Promise<void> {
  const wasDestroyedThere = and(
    eq(moduleInstances.organizationId, organizationId),
    eq(moduleInstances.environmentId, id),
    eq(moduleInstances.status, 'DESTROYED'),
  )
  const destroyed = tx.select({ id: moduleInstances.id }).from(moduleInstances).where(wasDestroyedThere)
  const wereThere = or(eq(deployments.environmentId, id), inArray(deployments.moduleInstanceId, destroyed))
  await tx.delete(deployments).where(and(eq(deployments.organizationId, organizationId), wereThere))
  await tx.delete(moduleInstances).where(wasDestroyedThere)
}

/** Returns a function that deletes a stack without any history. */
export const removeUnusedStack =
  (findDependents: FindDependents) =>
  async (tx: Db, organizationId: string, id: string): Promise<void> => {
    const users = await findDependents('stacks', tx, organizationId, id)
    const steps = await tx.$count(
      pipelineStepExecutions,
      and(eq(pipelineStepExecutions.organizationId, organizationId), eq(pipelineStepExecutions.stackId, id)),
    )
    if (users.length + steps === 0) await removeStack(tx, organizationId, id)
  }
