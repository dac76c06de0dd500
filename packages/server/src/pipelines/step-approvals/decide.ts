import type { Delegators } from '@sluice/contract'
import { requireEligibleApprover as expectCountedBy } from '../../gates/approvals.ts'
import { gateRules } from '../../gates/load.ts'
import { recordWarnings } from '../../gates/warnings.ts'
import type { Caller } from '../../platform/auth/caller.ts'
import type { Db } from '../../platform/db/open.ts'
import { withAllScopesVisible } from '../../platform/db/organization.ts'
import type { Message } from '../../platform/engine/messages.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import { present } from '../../platform/present.ts'
import { approveStep, approveWithoutRule, isApprovalExpired } from '../pipeline-runs/gates/approval.ts'
import { wakeGatedRuns } from '../pipeline-runs/gates/step-gates.ts'
import { toRun } from '../pipeline-runs/wake.ts'
import { saveStep } from '../pipeline-step-executions/store.ts'
import type { PipelineStepExecutionRow, StepDecision } from '../pipelines/tables.ts'
import { currentApprovals, evaluateStep, requiredApprovalsOfStep, type StepApprovals } from './required.ts'
import { lockWaitingSteps, removeStepApproval, saveStepApproval } from './store.ts'
import type { StepApprovalRow } from './tables.ts'

/** Step after an approval, and whom the approver substituted for. */
type Counted = Pick<Waiting, 'step' | 'onBehalfOf'>

/** Locked step that waits for approval, the required approvals, and whom the caller substitutes for. */
type Waiting = { step: PipelineStepExecutionRow; asked: StepApprovals | undefined; onBehalfOf: Delegators | null }

/**
 * Returns the required approvals of a step.
 * @throws {ApiError} if no rule accepts the caller's approval
 */
async function askedOfCaller(tx: Db, caller: Caller, step: PipelineStepExecutionRow, at: Date): Promise<Waiting> {
  const asked = await requiredApprovalsOfStep(tx, step, { now: at })
  return { step, asked, onBehalfOf: asked ? await expectCountedBy(tx, caller, asked, { now: at }) : null }
}

/**
 * Applies an approval: the step continues, or waits for the missing approvals. Includes rules that the caller cannot
 * see.
 */
export const approve = (
  db: Db,
  caller: Caller,
  step: PipelineStepExecutionRow,
  decision: StepDecision,
): Promise<Counted> =>
  withAllScopesVisible(db, async (tx) => {
    const waiting = await askedOfCaller(tx, caller, step, new Date(decision.at))
    const { onBehalfOf } = waiting
    const counted = present({ ...decision, onBehalfOf: onBehalfOf ?? undefined })
    return { step: await applyApproval(tx, caller, waiting, counted), onBehalfOf }
  })

/** Rejects a rejection by a caller whose approval no rule accepts. */
export const requireEligibleApprover = (
  db: Db,
  caller: Caller,
  step: PipelineStepExecutionRow,
  at: Date,
): Promise<Waiting> => withAllScopesVisible(db, (tx) => askedOfCaller(tx, caller, step, at))

async function applyApproval(
  tx: Db,
  caller: Caller,
  { step, asked, onBehalfOf }: Waiting,
  decision: StepDecision,
): Promise<PipelineStepExecutionRow> {
  if (!asked) return approveStep(step, decision)
  const { organizationId, pipelineRunId, id: stepExecutionId } = step
  const { principalType: actorType, membershipId: actorId } = caller
  const given = await saveStepApproval(tx, {
    organizationId,
    pipelineRunId,
    stepExecutionId,
    actorType,
    actorId,
    actorName: decision.by,
    comment: decision.comment ?? null,
    onBehalfOf,
    plans: asked.plans,
    createdAt: new Date(decision.at),
  })
  if (!given) throw new ApiError('alreadyApproved', `You have already approved the step ${step.stepName}.`)
  return applyRules(tx, step, decision, new Date(decision.at))
}

/** Withdrawn approval, and the step, which waits for another one. */
export type Withdrawn = { step: PipelineStepExecutionRow; removed: StepApprovalRow }

/** Withdraws the caller's approval of a step that still waits for others. */
export const withdraw = (db: Db, caller: Caller, step: PipelineStepExecutionRow, now: Date): Promise<Withdrawn> =>
  withAllScopesVisible(db, async (tx) => {
    const removed = await removeStepApproval(tx, step, caller.membershipId)
    if (!removed) throw new ApiError('notApproved', `You have not approved the step ${step.stepName}.`)
    const { decision } = await evaluateStep(gateRules(tx, step.organizationId), step, { now })
    const isOpen = decision.decision === 'requireApproval'
    return { removed, step: isOpen ? { ...step, waitingFor: `approval: ${decision.message}` } : step }
  })

/** Returns the step after evaluating the rules with the given approvals. */
async function applyRules(
  tx: Db,
  step: PipelineStepExecutionRow,
  decision: StepDecision,
  now: Date,
): Promise<PipelineStepExecutionRow> {
  const { organizationId, pipelineRunId, id: stepExecutionId } = step
  const found = await evaluateStep(gateRules(tx, step.organizationId), step, { now })
  if (found.decision.decision === 'requireApproval') {
    return { ...step, waitingFor: `approval: ${found.decision.message}` }
  }
  await recordWarnings(tx, organizationId, found.warnings, { pipelineRunId, stepExecutionId })
  return approveStep(step, decision)
}

/**
 * Evaluates waiting steps again after a change of rules. Steps with sufficient approvals continue, as do those that
 * waited only because of rules; stricter rules apply to steps that have not started. Returns messages for the engine.
 */
export const reevaluateSteps = (db: Db, organizationId: string, now: Date): Promise<Message[]> =>
  withAllScopesVisible(db, async (tx) => [
    // First, because a pass over a run locks its row before those of its steps.
    ...(await wakeGatedRuns(tx, organizationId, now)),
    ...(await reevaluated(tx, organizationId, now)),
  ])

async function reevaluated(tx: Db, organizationId: string, now: Date): Promise<Message[]> {
  const messages: Message[] = []
  for (const step of await lockWaitingSteps(tx, organizationId)) {
    if (isApprovalExpired(step, now)) continue
    const decision = await lastDecision(tx, step)
    const next = decision ? await applyRules(tx, step, decision, now) : await continueWithoutRules(tx, step, now)
    if (!next || next.status === step.status) continue
    await saveStep(tx, next, step)
    messages.push(toRun(step.pipelineRunId))
  }
  return messages
}

/** Continues a step without any decision if only rules required approval and none does now. */
async function continueWithoutRules(
  tx: Db,
  step: PipelineStepExecutionRow,
  now: Date,
): Promise<PipelineStepExecutionRow> {
  if (!step.approval?.isByRule) return step
  const { decision } = await evaluateStep(gateRules(tx, step.organizationId), step, { now })
  return decision.decision === 'requireApproval' ? step : approveWithoutRule(step, now)
}

async function lastDecision(tx: Db, step: PipelineStepExecutionRow): Promise<StepDecision | undefined> {
  const last = (await currentApprovals(tx, step)).at(-1)
  if (!last) return undefined
  const { actorName: by, actorType, actorId, createdAt } = last
  const said = { comment: last.comment ?? undefined, onBehalfOf: last.onBehalfOf ?? undefined }
  return present({ approved: true, by, at: createdAt.toISOString(), ...said, actorType, actorId })
}
