import { failures } from '@sluice/contract'
import { ExpressionError } from '@sluice/expressions'
import { serviceAuthor } from '../../identity/audit-events/author.ts'
import { statusDuring } from '../../modules/module-instances/machine.ts'
import { lockModuleInstance } from '../../modules/module-instances/store.ts'
import { admitRun } from '../../pipelines/pipeline-runs/admit.ts'
import type { TriggerParts } from '../../pipelines/pipeline-triggers/start-triggered.ts'
import type { PipelineRunRow } from '../../pipelines/pipelines/tables.ts'
import type { Db } from '../../platform/db/open.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import { findStack } from '../../stacks/stacks/store.ts'
import { startInstanceRun } from '../instance-runs/start.ts'
import { afterCheck } from './machine.ts'
import { checkedStackId } from './start-check.ts'
import { countFound, instanceOfStack, lockDrift, updateDrift } from './store.ts'
import type { StackDriftRow } from './tables.ts'

/**
 * Stores the result of a drift check and, if configured, starts the run that corrects the drift. Call it in the
 * transaction that ends the run, and notify the engine of the returned run ids.
 */
export async function driftCheckEnded(tx: Db, run: PipelineRunRow, parts: TriggerParts, now: Date): Promise<string[]> {
  const { organizationId } = run
  const stackId = checkedStackId(run)
  const drift = stackId === undefined ? undefined : await lockDrift(tx, organizationId, stackId)
  // A retried run has been replaced by its retry.
  if (!drift || drift.runId !== (run.retryOf ?? run.id)) return []
  const ended = { runId: run.id, checkedAt: now }
  const count = run.status === 'SUCCESS' ? await countFound(tx, run, drift.stackId) : undefined
  if (count === undefined) {
    await updateDrift(tx, drift, { ...ended, status: 'FAILED', error: run.error ?? checkedByOtherRun(run) })
    return []
  }
  const stack = await findStack(tx, organizationId, drift.stackId)
  const known = afterCheck(drift, { count, lastAppliedAt: stack?.lastAppliedAt ?? null, now })
  const status = count > 0 ? 'DRIFTED' : 'IN_SYNC'
  const noted = await updateDrift(tx, drift, { ...ended, ...known, status, error: null })
  return count > 0 ? reconcile(tx, noted, run, parts, now) : []
}

const checkedByOtherRun = ({ id }: PipelineRunRow) => ({
  code: failures.iacPlanNotFound.code,
  message: `The run ${id} has not checked this stack.`,
})

/** Starts a correcting run. If that is not possible now, the next drift check tries again. */
async function reconcile(
  tx: Db,
  drift: StackDriftRow,
  look: PipelineRunRow,
  { limits, log }: TriggerParts,
  now: Date,
): Promise<string[]> {
  const { organizationId, stackId, reconciles, reconcilingRunId } = drift
  if (!reconciles || reconcilingRunId !== null) return []
  const id = await instanceOfStack(tx, organizationId, stackId)
  if (id === undefined) return []
  try {
    return await tx.transaction(async (savepoint) => {
      const instance = await lockModuleInstance(savepoint, organizationId, id)
      if (!instance || inProgress.some((status) => status === instance.status)) return []
      await admitRun(limits, savepoint, organizationId)
      const { runIds } = await startInstanceRun(savepoint, instance, 'change', {
        author: serviceAuthor(organizationId, 'SCHEDULE'),
        isAutoApproved: false,
        triggerSource: 'SCHEDULE',
        triggeredBy: `the drift that the run ${look.id} found`,
        now,
      })
      await updateDrift(savepoint, drift, { reconcilingRunId: runIds[0] ?? null })
      return runIds
    })
  } catch (error) {
    if (!(error instanceof ApiError || error instanceof ExpressionError)) throw error
    log.warn({ stackId, reason: error.message }, 'no run was begun for what has drifted; again after the next look')
    return []
  }
}

const inProgress = [...Object.values(statusDuring), 'DESTROYED'] as const
