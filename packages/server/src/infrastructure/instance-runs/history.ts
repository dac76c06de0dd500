import { deployments } from '../../delivery/deployments/store/tables.ts'
import { pipelineRuns, pipelineStepExecutions } from '../../pipelines/pipelines/tables.ts'
import { and, eq } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'

/** Reports whether a module instance ever had a deployment or run. */
export async function hasHistory(tx: Db, organizationId: string, moduleInstanceId: string): Promise<boolean> {
  for (const table of [deployments, pipelineStepExecutions, pipelineRuns]) {
    const ofInstance = and(eq(table.organizationId, organizationId), eq(table.moduleInstanceId, moduleInstanceId))
    const [row] = await tx.select({ id: table.id }).from(table).where(ofInstance).limit(1)
    if (row) return true
  }
  return false
}
