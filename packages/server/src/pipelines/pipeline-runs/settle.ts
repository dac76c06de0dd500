import type { Outcome } from '@sluice/contract/runner-protocol'
import type { Db } from '../../platform/db/open.ts'
import type { Message } from '../../platform/engine/messages.ts'
import { releaseLocks } from '../../stacks/iac-states/locks.ts'
import type { AttemptKey } from '../pipeline-step-executions/present-attempt.ts'
import { saveSteps } from '../pipeline-step-executions/store.ts'
import type { PipelineConfig } from '../pipeline-versions/config/schema.ts'
import type { PipelineRunRow, PipelineStepExecutionRow } from '../pipelines/tables.ts'
import { applyOutcome } from './attempt.ts'
import { dispatchFollowing } from './dispatch-following.ts'
import { messagesOf, recipientsOf } from './recipients.ts'
import { type Follower, startFollowing } from './start-following.ts'
import { type KnownRun, lockKnownRun, lockRunOfStep, saveRun } from './store.ts'
import { toRun, wakeUpOf } from './wake.ts'

export type SettleParts = {
  db: Db
  clock: () => Date
  hasSharedRunners: boolean
  /** Additional writes about the attempt, in the same transaction. */
  keep?: (tx: Db) => Promise<void>
  /** Runner that may continue with the next step. */
  follower?: Follower | undefined
  /** Run and pinned config of the attempt, to avoid loading them; they never change. */
  known?: KnownRun | undefined
}

/** Notifications after the commit: messages to the engine, and whether steps wait for a runner. */
export type Settled = {
  messages: Message[]
  isReady: boolean
  /** Step that the runner continues with, and the data for its templates. */
  next?: { step: PipelineStepExecutionRow; run: PipelineRunRow; config: PipelineConfig } | undefined
}

/**
 * Stores the result of an attempt: the step ends, or waits for its next attempt. Dispatches steps that waited only for
 * it; everything else needs a pass over the run (`run.advance`). Returns undefined if the attempt is not the current
 * one any more.
 */
export async function settleAttempt(
  { db, clock, hasSharedRunners, keep, follower, known }: SettleParts,
  { organizationId, id, attemptEpoch }: AttemptKey,
  outcome: Outcome,
): Promise<Settled | undefined> {
  return db.transaction(async (tx) => {
    const found = await (known ? lockKnownRun(tx, known) : lockRunOfStep(tx, { organizationId, id }))
    const step = found?.steps.find((one) => one.id === id)
    if (!found || step?.status !== 'IN_PROGRESS' || step.attemptEpoch !== attemptEpoch) return undefined
    const now = clock() // read after the lock is acquired
    await keep?.(tx)
    // A state lock belongs to the attempt, and would remain after a killed program.
    if (step.stackId !== null) await releaseLocks(tx, organizationId, id)
    const config = found.config.steps.find((one) => one.id === step.stepId)
    const end = applyOutcome(step, config, found.run, outcome, now)
    const steps = found.steps.map((one) => (one === step ? end : one))
    const next = dispatchFollowing({ ...found, steps }, { engineRunId: step.engineRunId, hasSharedRunners, now })
    const begun =
      next && follower && startFollowing(follower, { ...next, before: found.steps, config: found.config, now })
    const changed = (next?.steps ?? steps).filter((one) => !found.steps.includes(one))
    const saved = await saveSteps(
      tx,
      changed.map((one) => (begun && one.id === begun.id ? begun : one)),
      found.steps,
    )
    const following = begun && saved.find(({ id }) => id === begun.id)
    if (!next) return { messages: [toRun(found.run.id)], isReady: false }
    if (next.run !== found.run) await saveRun(tx, next.run, found.run)
    const { isReady, ...told } = recipientsOf(next.steps)
    const isWoken = next.run.wakeSeq !== found.run.wakeSeq
    const messages = [...messagesOf(told), ...(isWoken ? [wakeUpOf(next.run, now)] : [])]
    return { messages, isReady, next: following && { step: following, run: next.run, config: found.config } }
  })
}
