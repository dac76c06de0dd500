import type { AcquirePlan, AcquirePlanResponse } from '@sluice/contract/runner-protocol'
import { recordWarnings } from '../../gates/warnings.ts'
import { acquirePlan, findPlanOfStep } from '../../pipelines/iac-plans/store.ts'
import type { IacPlanRow } from '../../pipelines/iac-plans/tables.ts'
import type { PipelineStepExecutionRow } from '../../pipelines/pipelines/tables.ts'
import { findRunOf } from '../../pipelines/runner/claim.ts'
import type { Db } from '../../platform/db/open.ts'
import { findLatestState } from '../../stacks/iac-states/store.ts'
import { evaluateToApply } from './evaluate-plan.ts'
import { endStalePlan, failInterruptedPlan, planStateOf, planToApply, planUsed } from './plan-state.ts'

/**
 * Assigns a plan to an attempt if nothing changed since it was made and no policy blocks it. Only one attempt ever gets
 * it. This is the only way to apply anything; a destroy also takes its own plan.
 */
export async function leasePlan(
  { db, clock }: { db: Db; clock: () => Date },
  step: PipelineStepExecutionRow,
  { isAgain, configDigest }: AcquirePlan,
): Promise<AcquirePlanResponse> {
  const plan = await planOf(db, step)
  const stand = planStateOf(plan, step)
  if (stand === 'taken') {
    if (!isAgain) throw await failInterruptedPlan(db, plan, clock())
    return takenOf(plan)
  }
  if (stand !== 'free') throw planUsed(plan)
  const moved = await changeSincePlan(db, plan, configDigest)
  if (moved !== undefined) throw await endStalePlan(db, plan, moved, clock())
  const stepExecutionId = step.id
  if (await acquirePlan(db, plan, { stepExecutionId })) return takenOf(plan)
  const { verdicts: policies, warnings } = await evaluateToApply(db, step, plan, clock())
  await db.transaction(async (tx) => {
    const { organizationId, pipelineRunId } = step
    if (!(await acquirePlan(tx, plan, { stepExecutionId, policies }))) throw planUsed(plan)
    await recordWarnings(tx, organizationId, warnings, { pipelineRunId, stepExecutionId })
  })
  return takenOf(plan)
}

/** Returns the plan that a step applies, which may be its own. */
export async function planOf(db: Db, step: PipelineStepExecutionRow): Promise<IacPlanRow> {
  const own = step.stepType === 'iac:destroy' && (await findPlanOfStep(db, step.organizationId, step.id))
  return own || planToApply(db, { run: await findRunOf(db, step), step })
}

function takenOf({ summary: { changeCounts } }: IacPlanRow): AcquirePlanResponse {
  const { NO_OP: _, ...changes } = changeCounts
  return { total: Object.values(changes).reduce((sum, count) => sum + count, 0), changes }
}

/** Returns what changed since the plan was made, or undefined. */
async function changeSincePlan(db: Db, plan: IacPlanRow, configDigest: string): Promise<string | undefined> {
  const { organizationId, workspaceId, lineage, serial } = plan
  if (configDigest !== plan.configDigest) {
    return 'The files of the configuration differ from those of the plan.'
  }
  if (workspaceId === null) return undefined // the tool itself checks its state
  const latest = await findLatestState(db, organizationId, workspaceId)
  if ((latest?.lineage ?? null) === lineage && (latest?.serial ?? null) === serial) return undefined
  if (latest && lineage !== null && latest.lineage !== lineage) {
    return `The state is of the lineage ${latest.lineage}; the plan was made for one of ${lineage}.`
  }
  const [was, is] = [serial ?? 'none', latest?.serial ?? 'none']
  return `The state was changed after the plan was made: its serial is ${is}, that of the plan ${was}. It was written by ${latest?.createdBy ?? 'no one'}.`
}
