import { extrasOf, recordDenials } from '../../gates/denials.ts'
import type { Evaluation } from '../../gates/evaluate.ts'
import type { Findings, PolicyQuestion } from '../../gates/gate.ts'
import { evaluateGates, gateRules } from '../../gates/load.ts'
import { currentMinute, loadScopes, loadStarters } from '../../gates/policy-subjects.ts'
import { runAsAuthor } from '../../identity/audit-events/author.ts'
import type { IacPlanRow } from '../../pipelines/iac-plans/tables.ts'
import { scopeOfStep } from '../../pipelines/pipeline-runs/gates/approval-targets.ts'
import type { PipelineStepExecutionRow } from '../../pipelines/pipelines/tables.ts'
import { findRunOf } from '../../pipelines/runner/claim.ts'
import { StepFailure } from '../../pipelines/runner/step-failure.ts'
import { approvalsOfPlan } from '../../pipelines/step-approvals/required.ts'
import { runWithWorkerResults } from '../../platform/aside/answered.ts'
import type { Db } from '../../platform/db/open.ts'
import { findStack } from '../../stacks/stacks/store.ts'
import { resourcesOfStep } from '../iac-resources/record.ts'
import { toPlanPolicyInput } from './plan-subject.ts'

/** Decision of the release gates about a plan, with the policy decisions that are stored with it. */
export type PlanEvaluation = Evaluation & Required<Pick<Findings, 'verdicts'>>

/**
 * Evaluates the gates before a plan is applied. If a policy denies the plan or requires approvals that are missing, the
 * step fails and the plan remains.
 */
export async function evaluateToApply(
  db: Db,
  step: PipelineStepExecutionRow,
  plan: IacPlanRow,
  now: Date,
): Promise<PlanEvaluation> {
  const found = await evaluatePlan(db, step, plan, {
    now,
    approvals: (verdicts) => approvalsOfPlan(db, step, verdicts),
  })
  const { decision } = found
  if (decision.decision !== 'deny') return found
  const of = { stackId: plan.stackId, iacPlanId: plan.id, stepExecutionId: step.id }
  await recordDenials(db, runAsAuthor(await findRunOf(db, step)), { ...decision, of })
  throw new StepFailure('applyStoppedByPolicy', decision.message, extrasOf(decision))
}

/** Evaluates the gates for a plan that a step makes or applies. */
export async function evaluatePlan(
  db: Db,
  step: PipelineStepExecutionRow,
  plan: IacPlanRow,
  { now, ...approvals }: { now: Date } & Pick<PolicyQuestion, 'approvals'>,
): Promise<PlanEvaluation> {
  const { organizationId, stackId } = plan
  const run = await findRunOf(db, step)
  const scope = await scopeOfStep(db, run, step)
  const variables = async () => {
    const stack = await findStack(db, organizationId, stackId)
    const starterOf = await loadStarters(db, organizationId, [run.actsFor])
    return {
      plan: toPlanPolicyInput(plan, await resourcesOfStep(db, organizationId, plan.stepExecutionId)),
      stack: stack && { id: stack.id, givenId: stack.givenId, name: stack.name },
      ...(await loadScopes(db, organizationId, [scope]))(scope),
      starter: starterOf(run.actsFor),
      now: currentMinute(now),
    }
  }
  const policy = { guards: 'PLANS', isRollback: false, before: [], variables, ...approvals } as const
  const evaluated = () => evaluateGates(gateRules(db, organizationId), { moment: 'TAKE_PLAN', scope, policy }, now)
  return { verdicts: [], ...(await runWithWorkerResults(organizationId, evaluated)) }
}
