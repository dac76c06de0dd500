import { endPlan, findPlanInRun } from '../../pipelines/iac-plans/store.ts'
import type { IacPlanRow } from '../../pipelines/iac-plans/tables.ts'
import { configOf, continuedStep } from '../../pipelines/pipeline-versions/config/steps.ts'
import { findPipelineVersion } from '../../pipelines/pipeline-versions/store.ts'
import type { PipelineRunRow, PipelineStepExecutionRow } from '../../pipelines/pipelines/tables.ts'
import { StepFailure } from '../../pipelines/runner/step-failure.ts'
import type { Db } from '../../platform/db/open.ts'

/** State of a plan relative to a step: available, taken or applied by it, or unusable. */
export type PlanState = 'free' | 'taken' | 'applied' | 'elsewhere'

export function planStateOf(plan: IacPlanRow, step: Pick<PipelineStepExecutionRow, 'id'>): PlanState {
  if (plan.status === 'PLANNED') return 'free'
  if (plan.appliedByStepExecutionId !== step.id) return 'elsewhere'
  if (plan.status === 'APPLYING') return 'taken'
  return plan.status === 'APPLIED' ? 'applied' : 'elsewhere'
}

/** Returns the plan of the step that this one names, or else of the nearest earlier one. */
export async function planToApply(
  db: Db,
  { run, step }: { run: PipelineRunRow; step: PipelineStepExecutionRow },
): Promise<IacPlanRow> {
  const version = await findPipelineVersion(db, step.organizationId, run.pipelineVersionId)
  const steps = version ? configOf(version).steps : []
  const config = steps.find(({ id }) => id === step.stepId)
  const planStep = config && continuedStep(steps, config)
  const plan = planStep === undefined ? undefined : await findPlanInRun(db, step, planStep)
  if (plan?.stackId === step.stackId) return plan
  throw new StepFailure(
    'iacPlanNotFound',
    `The step ${planStep ?? 'before'} created no plan for the step ${step.stepId} to apply.`,
  )
}

export const planUsed = ({ id, status }: IacPlanRow) =>
  new StepFailure('iacPlanUsed', `The plan ${id} is ${status}. A plan can be applied only once: create a new one.`)

/** Fails a plan taken by an attempt that was lost, because it must not be applied again. */
export async function failInterruptedPlan(db: Db, plan: IacPlanRow, now: Date): Promise<StepFailure> {
  await endPlan(db, plan, 'FAILED', now)
  return new StepFailure(
    'iacApplyInterrupted',
    'The runner was lost while applying the plan. Its progress is unknown.',
    {
      description: 'Nothing is applied a second time. Plan again: the new plan shows what is left to do.',
      metadata: { planId: plan.id },
    },
  )
}

/** Ends a plan that is out of date. */
export async function endStalePlan(db: Db, plan: IacPlanRow, description: string, now: Date): Promise<StepFailure> {
  await endPlan(db, plan, 'STALE', now)
  return new StepFailure('iacPlanStale', `The plan ${plan.id} is out of date. Plan again.`, { description })
}
