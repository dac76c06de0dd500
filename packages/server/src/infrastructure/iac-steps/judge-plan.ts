import type { PolicyVerdict } from '@sluice/contract'
import { noteStops } from '../../gates/denials.ts'
import { judge } from '../../gates/policies/judge.ts'
import { stoppedBy, unapprovedBy } from '../../gates/policies/machine.ts'
import { nowSeen, placesSeen, startersSeen } from '../../gates/policy-subjects.ts'
import { runAsAuthor } from '../../identity/audit-events/author.ts'
import type { IacPlanRow } from '../../pipelines/iac-plans/tables.ts'
import { placeOf } from '../../pipelines/pipeline-runs/gates/freeze-clearance.ts'
import type { PipelineStepExecutionRow } from '../../pipelines/pipelines/tables.ts'
import { findRunOf } from '../../pipelines/runner/claim.ts'
import { StepFailure } from '../../pipelines/runner/step-failure.ts'
import { unapproved } from '../../pipelines/step-approvals/asked.ts'
import { answered } from '../../platform/aside/answered.ts'
import type { Db } from '../../platform/db/open.ts'
import { findStack } from '../../stacks/stacks/store.ts'
import { resourcesOfStep } from '../iac-resources/record.ts'
import { planSeen } from './plan-subject.ts'

/**
 * Judges a plan that is about to be applied. What a policy stops, or asks for approvals of that the step has not, is
 * not begun: its step fails, and the plan stays.
 */
export async function judgeToApply(
  db: Db,
  step: PipelineStepExecutionRow,
  plan: IacPlanRow,
  now: Date,
): Promise<PolicyVerdict[]> {
  const verdicts = await judgePlan(db, step, plan, now)
  const stop = stoppedBy(verdicts) ?? unapprovedBy(await unapproved(db, step, verdicts))
  if (!stop) return verdicts
  const of = { stackId: plan.stackId, iacPlanId: plan.id, stepExecutionId: step.id }
  await noteStops(db, runAsAuthor(await findRunOf(db, step)), { ...stop, of })
  throw new StepFailure('applyStoppedByPolicy', stop.message, stop.extras)
}

/** Judges a plan for a step that makes or applies it. */
export async function judgePlan(
  db: Db,
  step: PipelineStepExecutionRow,
  plan: IacPlanRow,
  now: Date,
): Promise<PolicyVerdict[]> {
  const { organizationId, stackId } = plan
  const run = await findRunOf(db, step)
  const place = await placeOf(db, run, step)
  const question = {
    ...({ organizationId, guards: 'PLANS', place, isRollback: false, now } as const),
    subject: async () => {
      const stack = await findStack(db, organizationId, stackId)
      const starterOf = await startersSeen(db, organizationId, [run.actsFor])
      return {
        plan: planSeen(plan, await resourcesOfStep(db, organizationId, plan.stepExecutionId)),
        stack: stack && { id: stack.id, givenId: stack.givenId, name: stack.name },
        ...(await placesSeen(db, organizationId, [place]))(place),
        starter: starterOf(run.actsFor),
        now: nowSeen(now),
      }
    },
  }
  return answered(organizationId, () => judge(db, question))
}
