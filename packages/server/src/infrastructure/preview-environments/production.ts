import { cloudAccounts } from '../../cloud/cloud-accounts/tables.ts'
import { executionEnvironments } from '../../cloud/execution-environments/tables.ts'
import { loadGraph } from '../../modules/module-instances/load.ts'
import { renderStack } from '../../modules/module-instances/stack-block.ts'
import type { ModuleInstanceRow } from '../../modules/module-instances/tables.ts'
import { and, eq, inArray } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import { nearestDefaults } from '../../projects/default-values/nearest.ts'

/**
 * Rejects instances whose inputs or stacks refer to a production account: by id, number, resource name, or an execution
 * environment in it. @throws {ApiError} previewInProduction
 */
export async function rejectProduction(
  tx: Db,
  organizationId: string,
  rows: readonly Pick<ModuleInstanceRow, 'id' | 'givenId'>[],
): Promise<void> {
  const accounts = await tx
    .select({ id: cloudAccounts.id, cloudId: cloudAccounts.cloudId, name: cloudAccounts.name })
    .from(cloudAccounts)
    .where(and(eq(cloudAccounts.organizationId, organizationId), eq(cloudAccounts.isProduction, true)))
  if (accounts.length === 0 || rows.length === 0) return
  const ids = accounts.map(({ id }) => id)
  const places = await tx
    .select({ id: executionEnvironments.id, cloudAccountId: executionEnvironments.cloudAccountId })
    .from(executionEnvironments)
    .where(
      and(eq(executionEnvironments.organizationId, organizationId), inArray(executionEnvironments.cloudAccountId, ids)),
    )
  const said = await whatIsSaid(
    tx,
    organizationId,
    rows.map(({ id }) => id),
  )
  for (const { id, givenId } of rows) {
    const text = said.get(id) ?? ''
    const account = accounts.find((one) => {
      const ofIt = places.flatMap((place) => (place.cloudAccountId === one.id ? [place.id] : []))
      return [one.id, ...ofIt, ...(one.cloudId === null ? [] : [one.cloudId])].some((word) => text.includes(word))
    })
    if (!account) continue
    const message = `${givenId} would reach into the cloud account ${account.name}, which is marked as production.`
    throw new ApiError('previewInProduction', message)
  }
}

/** Returns all resolved location data of each instance as one string. */
async function whatIsSaid(tx: Db, organizationId: string, ids: string[]): Promise<Map<string, string>> {
  const graph = await loadGraph(tx, organizationId, ids)
  const said = new Map<string, string>()
  for (const id of ids) {
    const placed = graph.find(id)
    const { values } = graph.resolve(id)
    const { projectId, environmentId } = placed
    const nearest = await nearestDefaults(tx, organizationId, { projectId, environmentId })
    const stack = placed.stack ? renderStack({ placed, values, nearest, action: 'change' }) : {}
    said.set(id, JSON.stringify({ values, stack }))
  }
  return said
}
