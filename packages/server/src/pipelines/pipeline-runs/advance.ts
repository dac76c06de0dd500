import { isRunOver } from '@sluice/contract'
import { recordChange } from '../../identity/audit-events/record.ts'
import type { Seal } from '../../platform/crypto/seal.ts'
import type { Db } from '../../platform/db/open.ts'
import { saveSteps } from '../pipeline-step-executions/store.ts'
import { unapprovedVersion } from '../pipeline-versions/approvals.ts'
import type { PipelineRunRow } from '../pipelines/tables.ts'
import type { Step } from './attempt.ts'
import { loadRunContext, type RunContext } from './context.ts'
import { type RunEndedParts, runEnded } from './ended.ts'
import { renderStepInput } from './evaluate-step.ts'
import type { ApprovalRuleResult } from './gates/approval.ts'
import type { Clearance } from './gates/freezes.ts'
import { StepGates } from './gates/step-gates.ts'
import { defaultLimits, isDispatched, needsInput, type Scheduled, schedule, type Verdict } from './machine.ts'
import { ownDecisions } from './own-decisions.ts'
import { type Recipients, recipientsOf } from './recipients.ts'
import { holderOfGroup, type LockedRun, lockRun, nextOfGroup, saveRun } from './store.ts'

/** Ids of runs and deployments that need a pass because a run has ended. */
export type FollowUpIds = { runs: string[]; deployments: string[] }

export type PassParts = RunEndedParts & { db: Db; seal: Seal; clock: () => Date; hasSharedRunners: boolean }

export type RunPass = {
  run: PipelineRunRow
  wasOver: boolean
  /** Number of the previous wake-up; a different number now must be sent. */
  wakeSeqBefore: number
  told: Recipients
}

/**
 * Makes a pass over a run: does everything that is possible now, in one short transaction. `change` is a user's
 * request, and `organizationId` the required owner. Returns undefined if there is no such run.
 */
export async function advanceRun(
  parts: PassParts,
  id: string,
  engineRunId: string,
  { change = (run) => run, organizationId }: Wish = {},
): Promise<RunPass | undefined> {
  const { db, seal, clock, hasSharedRunners } = parts
  return db.transaction(async (tx) => {
    const found = await lockRun(tx, id, organizationId)
    if (!found) return undefined
    const now = clock() // read after the lock is acquired, because another transaction may have changed the run
    const wakeSeqBefore = found.run.wakeSeq
    if (isRunOver(found.run.status)) {
      return {
        run: found.run,
        wasOver: true,
        wakeSeqBefore,
        told: await recipientsAfterPass(tx, found.run, found.steps, nothing),
      }
    }
    const wanted = { ...found, run: change(found.run, now) }
    const { run, steps } = await scheduled(tx, seal, wanted, { engineRunId, hasSharedRunners, now })
    const changed = steps.filter((step) => !found.steps.includes(step))
    await saveSteps(tx, changed, found.steps)
    const saved = run === found.run ? run : await saveRun(tx, run, found.run)
    for (const { author, change } of ownDecisions(found, { run: saved, steps })) await recordChange(tx, author, change)
    const further = isRunOver(saved.status) ? await runEnded(tx, saved, now, parts) : nothing
    return { run: saved, wasOver: false, wakeSeqBefore, told: await recipientsAfterPass(tx, saved, steps, further) }
  })
}

type Wish = { change?: (run: PipelineRunRow, now: Date) => PipelineRunRow; organizationId?: string }

const nothing: FollowUpIds = { runs: [], deployments: [] }

async function scheduled(
  tx: Db,
  seal: Seal,
  { run, steps, config, isRuled, hasStepRules, hasVersionAsked }: LockedRun,
  { engineRunId, hasSharedRunners, now }: { engineRunId: string; hasSharedRunners: boolean; now: Date },
): Promise<Scheduled> {
  const groupHeldBy = run.status === 'QUEUED' ? await holderOfGroup(tx, run) : undefined
  const unapproved = run.status === 'QUEUED' && hasVersionAsked ? await unapprovedVersion(tx, run, now) : undefined
  const verdicts = new Map<string, Verdict>()
  const clearances = isRuled ? new Map<string, Clearance>() : undefined
  const gates = new StepGates(tx, run, now)
  const rulings = hasStepRules ? new Map<string, ApprovalRuleResult>() : undefined
  const limits = { ...defaultLimits, hasSharedRunners }
  const situation = { config, groupHeldBy, unapproved, verdicts, clearances, rulings, engineRunId, limits, now }
  let next = schedule({ ...situation, run, steps })
  let context: RunContext | undefined
  while (needsInput(next)) {
    for (const step of next.toClear) clearances?.set(step.stepId, await gates.clearanceOf(step))
    for (const step of next.toRule) rulings?.set(step.stepId, await gates.rulingOn(step))
    for (const question of next.toJudge) {
      context ??= await loadRunContext(tx, seal, run)
      const verdict = await renderStepInput(tx, { ...context, run: next.run, steps: next.steps }, question)
      verdicts.set(question.config.id, verdict)
    }
    next = schedule({ ...situation, run: next.run, steps: next.steps })
  }
  const newly = (is: (step: Step) => boolean) => {
    const before = new Set(steps.filter(is).map(({ id }) => id))
    return next.steps.filter((step) => is(step) && !before.has(step.id))
  }
  for (const step of newly(isDispatched)) await gates.recordWarnings(step, 'APPLY')
  for (const step of newly(hasPassedRules)) await gates.recordWarnings(step, 'STEP')
  return next
}

/** Reports whether approval rules let the step continue; a freeze may still block it. */
const hasPassedRules = (step: Step): boolean =>
  step.decision !== null || isDispatched(step) || (step.status === 'QUEUED' && step.queueReason === 'FROZEN')

async function recipientsAfterPass(
  tx: Db,
  run: PipelineRunRow,
  steps: Scheduled['steps'],
  further: FollowUpIds,
): Promise<Recipients> {
  if (!isRunOver(run.status)) return recipientsOf(steps)
  const next = await nextOfGroup(tx, run)
  const parent = run.parentStepExecutionId
  return {
    runs: [...further.runs, ...(next ? [next] : [])],
    steps: parent ? [parent] : [],
    deployments: further.deployments,
    isReady: false,
  }
}
