import type { InPlaceOf } from '@sluice/contract'
import { expectCounted as expectCountedBy } from '../../gates/approvals.ts'
import { gateRules } from '../../gates/load.ts'
import { recordWarnings } from '../../gates/warnings.ts'
import type { Caller } from '../../platform/auth/caller.ts'
import type { Db } from '../../platform/db/open.ts'
import { withNothingHidden } from '../../platform/db/organization.ts'
import type { Message } from '../../platform/engine/messages.ts'
import { Refusal } from '../../platform/http/refusal.ts'
import { present } from '../../platform/present.ts'
import { approved, isApprovalExpired, unasked } from '../pipeline-runs/gates/approval.ts'
import { wakeGatedRuns } from '../pipeline-runs/gates/step-gates.ts'
import { toRun } from '../pipeline-runs/wake.ts'
import { saveStep } from '../pipeline-step-executions/store.ts'
import type { Decision, PipelineStepExecutionRow } from '../pipelines/tables.ts'
import { approvalsAsItIs, askedOfStep, evaluateStep, type StepAsked } from './asked.ts'
import { lockWaitingSteps, removeStepApproval, saveStepApproval } from './store.ts'
import type { StepApprovalRow } from './tables.ts'

/** A step as an approval leaves it, and in whose place that was given. */
type Counted = Pick<Waiting, 'step' | 'onBehalfOf'>

/** A step that waits, locked, what rules ask of it, and in whose place the caller decides. */
type Waiting = { step: PipelineStepExecutionRow; asked: StepAsked | undefined; onBehalfOf: InPlaceOf | null }

/** What rules ask of a step about which the caller decides; refused where no rule that asks counts the caller. */
async function askedOfCaller(tx: Db, caller: Caller, step: PipelineStepExecutionRow, at: Date): Promise<Waiting> {
  const asked = await askedOfStep(tx, step, { now: at })
  return { step, asked, onBehalfOf: asked ? await expectCountedBy(tx, caller, asked, { now: at }) : null }
}

/**
 * Takes an approval into account: the step goes on, or waits for those that are missing and says so. Rules count that
 * the caller does not see.
 */
export const approve = (db: Db, caller: Caller, step: PipelineStepExecutionRow, decision: Decision): Promise<Counted> =>
  withNothingHidden(db, async (tx) => {
    const waiting = await askedOfCaller(tx, caller, step, new Date(decision.at))
    const { onBehalfOf } = waiting
    const counted = present({ ...decision, onBehalfOf: onBehalfOf ?? undefined })
    return { step: await taken(tx, caller, waiting, counted), onBehalfOf }
  })

/** Refuses a rejection by a caller whom no rule that asks counts. */
export const expectCounted = (db: Db, caller: Caller, step: PipelineStepExecutionRow, at: Date): Promise<Waiting> =>
  withNothingHidden(db, (tx) => askedOfCaller(tx, caller, step, at))

async function taken(
  tx: Db,
  caller: Caller,
  { step, asked, onBehalfOf }: Waiting,
  decision: Decision,
): Promise<PipelineStepExecutionRow> {
  if (!asked) return approved(step, decision)
  const { organizationId, pipelineRunId, id: stepExecutionId } = step
  const { principalType: actorType, membershipId: actorId } = caller
  const given = await saveStepApproval(tx, {
    ...{ organizationId, pipelineRunId, stepExecutionId, actorType, actorId, actorName: decision.by },
    ...{ comment: decision.comment ?? null, onBehalfOf },
    plans: asked.plans,
    createdAt: new Date(decision.at),
  })
  if (!given) throw new Refusal('alreadyApproved', `You have approved the step ${step.stepName} already.`)
  return judged(tx, step, decision, new Date(decision.at))
}

/** What was taken back, and the step, which waits for one more. */
export type Withdrawn = { step: PipelineStepExecutionRow; removed: StepApprovalRow }

/** Takes back the caller's approval of a step that waits on for others. */
export const withdraw = (db: Db, caller: Caller, step: PipelineStepExecutionRow, now: Date): Promise<Withdrawn> =>
  withNothingHidden(db, async (tx) => {
    const removed = await removeStepApproval(tx, step, caller.membershipId)
    if (!removed) throw new Refusal('notApproved', `You have not approved the step ${step.stepName}.`)
    const { decision } = await evaluateStep(gateRules(tx, step.organizationId), step, { now })
    const isOpen = decision.decision === 'requireApproval'
    return { removed, step: isOpen ? { ...step, waitingFor: `approval: ${decision.message}` } : step }
  })

/** The step as the rules, and who has approved, leave it. */
async function judged(
  tx: Db,
  step: PipelineStepExecutionRow,
  decision: Decision,
  now: Date,
): Promise<PipelineStepExecutionRow> {
  const { organizationId, pipelineRunId, id: stepExecutionId } = step
  const found = await evaluateStep(gateRules(tx, step.organizationId), step, { now })
  if (found.decision.decision === 'requireApproval') {
    return { ...step, waitingFor: `approval: ${found.decision.message}` }
  }
  await recordWarnings(tx, organizationId, found.warnings, { pipelineRunId, stepExecutionId })
  return approved(step, decision)
}

/**
 * Judges the steps anew that wait: by looser rules those go on that somebody has approved, as of the last approval, and
 * those about which nothing but rules asked; by stricter ones those ask that are about to begin. The messages are for
 * the engine.
 */
export const rejudgeSteps = (db: Db, organizationId: string, now: Date): Promise<Message[]> =>
  withNothingHidden(db, async (tx) => [
    ...(await wakeGatedRuns(tx, organizationId, now)), // first: a look at a run takes its row before those of its steps
    ...(await rejudged(tx, organizationId, now)),
  ])

async function rejudged(tx: Db, organizationId: string, now: Date): Promise<Message[]> {
  const messages: Message[] = []
  for (const step of await lockWaitingSteps(tx, organizationId)) {
    if (isApprovalExpired(step, now)) continue
    const decision = await lastDecision(tx, step)
    const next = decision ? await judged(tx, step, decision, now) : await undecided(tx, step, now)
    if (!next || next.status === step.status) continue
    await saveStep(tx, next, step)
    messages.push(toRun(step.pipelineRunId))
  }
  return messages
}

/** A step about which nobody decided yet goes on where only rules asked, and none does now. */
async function undecided(tx: Db, step: PipelineStepExecutionRow, now: Date): Promise<PipelineStepExecutionRow> {
  if (!step.approval?.isByRule) return step
  const { decision } = await evaluateStep(gateRules(tx, step.organizationId), step, { now })
  return decision.decision === 'requireApproval' ? step : unasked(step, now)
}

async function lastDecision(tx: Db, step: PipelineStepExecutionRow): Promise<Decision | undefined> {
  const last = (await approvalsAsItIs(tx, step)).at(-1)
  if (!last) return undefined
  const { actorName: by, actorType, actorId, createdAt } = last
  const said = { comment: last.comment ?? undefined, onBehalfOf: last.onBehalfOf ?? undefined }
  return present({ approved: true, by, at: createdAt.toISOString(), ...said, actorType, actorId })
}
