import { inWords, outcomeOf, reasonsInWords, whyNobodyCounts } from '../../delivery/approval-rules/machine.ts'
import { personOf } from '../../delivery/approval-rules/person.ts'
import { allApprovalRules } from '../../delivery/approval-rules/store.ts'
import { noteUnasked } from '../../delivery/approval-rules/warn.ts'
import type { Caller } from '../../platform/auth/caller.ts'
import type { Db } from '../../platform/db/open.ts'
import { withNothingHidden } from '../../platform/db/organization.ts'
import type { Message } from '../../platform/engine/messages.ts'
import { listed } from '../../platform/http/listed.ts'
import { Refusal } from '../../platform/http/refusal.ts'
import { present } from '../../platform/present.ts'
import { approved, isApprovalExpired } from '../pipeline-runs/approval.ts'
import { toRun } from '../pipeline-runs/wake.ts'
import { saveStep } from '../pipeline-step-executions/store.ts'
import type { Decision, PipelineStepExecutionRow } from '../pipelines/tables.ts'
import { approvalsAsItIs, askedOfStep, type StepAsked } from './asked.ts'
import { lockWaitingSteps, saveStepApproval } from './store.ts'

/** A step that waits, locked, and what rules ask of it. */
type Waiting = { step: PipelineStepExecutionRow; asked: StepAsked | undefined }

/** What rules ask of a step about which the caller decides; refused where no rule that asks counts the caller. */
async function askedOfCaller(tx: Db, caller: Caller, step: PipelineStepExecutionRow): Promise<Waiting> {
  const asked = await askedOfStep(tx, step, await allApprovalRules(tx, caller.organizationId))
  const enforced = (asked?.demands ?? []).map(({ rule }) => rule).filter(({ mode }) => mode === 'ENFORCE')
  if (!asked || enforced.length === 0) return { step, asked }
  const reason = whyNobodyCounts(enforced, await personOf(tx, caller), asked.guarded)
  if (reason === undefined) return { step, asked }
  const names = enforced.map(({ name }) => name)
  throw new Refusal('notCounted', reasonsInWords[reason], { details: listed('Rules', names) })
}

/**
 * Takes an approval into account: the step goes on, or waits for those that are missing and says so. Rules count that
 * the caller does not see.
 */
export const approve = (
  db: Db,
  caller: Caller,
  step: PipelineStepExecutionRow,
  decision: Decision,
): Promise<PipelineStepExecutionRow> =>
  withNothingHidden(db, async (tx) => taken(tx, caller, await askedOfCaller(tx, caller, step), decision))

/** Refuses a rejection by a caller whom no rule that asks counts. */
export const expectCounted = (db: Db, caller: Caller, step: PipelineStepExecutionRow): Promise<Waiting> =>
  withNothingHidden(db, (tx) => askedOfCaller(tx, caller, step))

async function taken(
  tx: Db,
  caller: Caller,
  { step, asked }: Waiting,
  decision: Decision,
): Promise<PipelineStepExecutionRow> {
  if (!asked) return approved(step, decision)
  const { organizationId, pipelineRunId, id: stepExecutionId } = step
  const { principalType: actorType, membershipId: actorId } = caller
  const given = await saveStepApproval(tx, {
    ...{ organizationId, pipelineRunId, stepExecutionId, actorType, actorId, actorName: decision.by },
    comment: decision.comment ?? null,
    plans: asked.plans,
    createdAt: new Date(decision.at),
  })
  if (!given) throw new Refusal('alreadyApproved', `You have approved the step ${step.stepName} already.`)
  return judged(tx, step, decision)
}

/** The step as the rules, and who has approved, leave it. */
async function judged(tx: Db, step: PipelineStepExecutionRow, decision: Decision): Promise<PipelineStepExecutionRow> {
  const { organizationId, pipelineRunId, id: stepExecutionId } = step
  const asked = await askedOfStep(tx, step, await allApprovalRules(tx, organizationId))
  if (!asked) return approved(step, decision)
  const result = outcomeOf(asked.demands, new Date(decision.at))
  if (result.outcome === 'waits') {
    const open = result.open.map((demand) => inWords(demand, asked.names)).join('; and for ')
    return { ...step, waitingFor: `approval: ${open}` }
  }
  await noteUnasked(tx, organizationId, asked.demands, { pipelineRunId, stepExecutionId })
  return approved(step, decision)
}

/**
 * Judges the steps anew that somebody has approved and that wait for more: by looser rules they go on, as of the last
 * approval. The messages are for the engine.
 */
export const rejudgeSteps = (db: Db, organizationId: string, now: Date): Promise<Message[]> =>
  withNothingHidden(db, (tx) => rejudged(tx, organizationId, now))

async function rejudged(tx: Db, organizationId: string, now: Date): Promise<Message[]> {
  const messages: Message[] = []
  for (const step of await lockWaitingSteps(tx, organizationId)) {
    const decision = isApprovalExpired(step, now) ? undefined : await lastDecision(tx, step)
    const next = decision && (await judged(tx, step, decision))
    if (!next || next.status === step.status) continue
    await saveStep(tx, next, step)
    messages.push(toRun(step.pipelineRunId))
  }
  return messages
}

async function lastDecision(tx: Db, step: PipelineStepExecutionRow): Promise<Decision | undefined> {
  const last = (await approvalsAsItIs(tx, step)).at(-1)
  if (!last) return undefined
  const { actorName: by, actorType, actorId, createdAt, comment } = last
  return present({ approved: true, by, at: createdAt.toISOString(), comment: comment ?? undefined, actorType, actorId })
}
