import type { PolicyVerdict } from '@sluice/contract'
import { judge, stoppedBy } from '../../delivery/policies/judge.ts'
import { nowSeen, placesSeen, startersSeen } from '../../delivery/policies/seen.ts'
import type { IacPlanRow } from '../../pipelines/iac-plans/tables.ts'
import { placeOf } from '../../pipelines/pipeline-runs/clear.ts'
import type { PipelineStepExecutionRow } from '../../pipelines/pipelines/tables.ts'
import { findRunOf } from '../../pipelines/runner/claim.ts'
import { StepFailure } from '../../pipelines/runner/step-failure.ts'
import { answered } from '../../platform/aside/answered.ts'
import type { Db } from '../../platform/db/open.ts'
import { findStack } from '../../stacks/stacks/store.ts'
import { resourcesOfStep } from '../iac-resources/record.ts'
import { planSeen } from './plan-subject.ts'

/** Judges a plan that is about to be applied. What a policy stops is not begun: its step fails, and the plan stays. */
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
  const verdicts = await answered(organizationId, () => judge(db, question))
  const stop = stoppedBy(verdicts)
  if (stop) throw new StepFailure('applyStoppedByPolicy', stop.message, stop.extras)
  return verdicts
}
