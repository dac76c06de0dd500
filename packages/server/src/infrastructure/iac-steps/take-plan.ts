import type { PlanTaken, TakePlan } from '@sluice/contract/runner-protocol'
import { recordWarnings } from '../../gates/warnings.ts'
import { findPlanOfStep, takePlan } from '../../pipelines/iac-plans/store.ts'
import type { IacPlanRow } from '../../pipelines/iac-plans/tables.ts'
import type { PipelineStepExecutionRow } from '../../pipelines/pipelines/tables.ts'
import { findRunOf } from '../../pipelines/runner/claim.ts'
import type { Db } from '../../platform/db/open.ts'
import { findLatestState } from '../../stacks/iac-states/store.ts'
import { evaluateToApply } from './evaluate-plan.ts'
import { interrupted, planToApply, planUsed, stale, standOf } from './stand.ts'

/**
 * Lets an attempt apply its plan, if nothing has moved since that was made and no policy stops it. Only one attempt
 * ever gets it. Nothing is applied by another way: also a destroy takes its own plan here.
 */
export async function takePlanFor(
  { db, clock }: { db: Db; clock: () => Date },
  step: PipelineStepExecutionRow,
  { isAgain, configDigest }: TakePlan,
): Promise<PlanTaken> {
  const plan = await planOf(db, step)
  const stand = standOf(plan, step)
  if (stand === 'taken') {
    if (!isAgain) throw await interrupted(db, plan, clock())
    return takenOf(plan)
  }
  if (stand !== 'free') throw planUsed(plan)
  const moved = await whatMoved(db, plan, configDigest)
  if (moved !== undefined) throw await stale(db, plan, moved, clock())
  const stepExecutionId = step.id
  if (await takePlan(db, plan, { stepExecutionId })) return takenOf(plan)
  const { verdicts: policies, warnings } = await evaluateToApply(db, step, plan, clock())
  await db.transaction(async (tx) => {
    const { organizationId, pipelineRunId } = step
    if (!(await takePlan(tx, plan, { stepExecutionId, policies }))) throw planUsed(plan)
    await recordWarnings(tx, organizationId, warnings, { pipelineRunId, stepExecutionId })
  })
  return takenOf(plan)
}

/** The plan that a step applies: its own, where it makes one and applies it. */
export async function planOf(db: Db, step: PipelineStepExecutionRow): Promise<IacPlanRow> {
  const own = step.stepType === 'iac:destroy' && (await findPlanOfStep(db, step.organizationId, step.id))
  return own || planToApply(db, { run: await findRunOf(db, step), step })
}

function takenOf({ summary: { changeCounts } }: IacPlanRow): PlanTaken {
  const { NO_OP: _, ...changes } = changeCounts
  return { total: Object.values(changes).reduce((sum, count) => sum + count, 0), changes }
}

/** What has changed since the plan was made; undefined for nothing. */
async function whatMoved(db: Db, plan: IacPlanRow, configDigest: string): Promise<string | undefined> {
  const { organizationId, workspaceId, lineage, serial } = plan
  if (configDigest !== plan.configDigest) {
    return 'The files of the configuration are not those that the plan was made of.'
  }
  if (workspaceId === null) return undefined // the tool itself looks
  const latest = await findLatestState(db, organizationId, workspaceId)
  if ((latest?.lineage ?? null) === lineage && (latest?.serial ?? null) === serial) return undefined
  if (latest && lineage !== null && latest.lineage !== lineage) {
    return `The state is of the lineage ${latest.lineage}; the plan was made for one of ${lineage}.`
  }
  const [was, is] = [serial ?? 'none', latest?.serial ?? 'none']
  return `The state was changed after the plan was made: its serial is ${is}, that of the plan ${was}. It was written by ${latest?.createdBy ?? 'nobody'}.`
}
