import { cloudAccounts } from '../../cloud/cloud-accounts/tables.ts'
import { executionEnvironments } from '../../cloud/execution-environments/tables.ts'
import { findEnvironmentOfInstance } from '../../modules/module-instances/store.ts'
import { and, eq, inArray } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import { maxChainLength } from './machine.ts'
import { findPipelineRun, findRunOfStep, type NewPipelineRun } from './store.ts'

/**
 * Reports whether a run, or its parent, works on the preview environment of a pull request. Excludes the deletion of a
 * preview, which must be possible even if its account has become a production account.
 */
export async function isOfPreview(db: Db, organizationId: string, runId: string): Promise<boolean> {
  const run = await findPipelineRun(db, organizationId, runId)
  return run !== undefined && isPartOfPreview(db, run)
}

/** Columns that identify the subject and the parent of a run. */
type Placed = Pick<NewPipelineRun, 'organizationId' | 'trigger' | 'moduleInstanceId' | 'parentStepExecutionId'>

async function isPartOfPreview(db: Db, of: Placed): Promise<boolean> {
  let run: Placed | undefined = of
  for (let above = 0; run && above <= maxChainLength; above += 1) {
    if (await isForPreview(db, run)) return true
    const stepId: string | null | undefined = run.parentStepExecutionId
    run = stepId == null ? undefined : await findRunOfStep(db, run.organizationId, stepId)
  }
  return false
}

/**
 * Rejects a run for a preview environment whose programs would run in an account that is marked as production.
 * @throws {ApiError} previewInProduction
 */
export async function rejectInProduction(tx: Db, run: Placed, placeIds: readonly string[]): Promise<void> {
  const [found] = await tx
    .select({ place: executionEnvironments.name, account: cloudAccounts.name })
    .from(executionEnvironments)
    .innerJoin(cloudAccounts, eq(cloudAccounts.id, executionEnvironments.cloudAccountId))
    .where(
      and(
        eq(executionEnvironments.organizationId, run.organizationId),
        inArray(executionEnvironments.id, [...placeIds]),
        eq(cloudAccounts.isProduction, true),
      ),
    )
    .limit(1)
  if (!found || !(await isPartOfPreview(tx, run))) return
  const message = `Its programs would run in ${found.place}, in the cloud account ${found.account}, which is marked as production.`
  throw new ApiError('previewInProduction', message)
}

async function isForPreview(db: Db, { organizationId, trigger, moduleInstanceId }: Placed): Promise<boolean> {
  const { preview_environment_id: of, action } = trigger?.payload ?? {}
  if (of !== undefined) return true
  if (moduleInstanceId == null || action === 'destroy') return false
  const environment = await findEnvironmentOfInstance(db, organizationId, moduleInstanceId)
  return environment !== undefined && environment.previewEnvironmentId !== null
}
