import type { Outcome } from '@sluice/contract/runner-protocol'
import type { Db } from '../../platform/db/open.ts'
import { releaseLocks } from '../../stacks/iac-states/locks.ts'
import type { AttemptKey } from '../pipeline-step-executions/present-attempt.ts'
import { lockAttempt, saveStep } from '../pipeline-step-executions/store.ts'
import { configOf } from '../pipeline-versions/config/steps.ts'
import { settled } from './attempt.ts'

/**
 * Writes down how an attempt ended: the step is over, or waits for its next attempt. Undefined where the attempt is not
 * the present one any more. Whoever settles tells the run of it (`run.advance`) once this is committed.
 */
export async function settleAttempt(
  db: Db,
  key: AttemptKey,
  outcome: Outcome,
  now: Date,
): Promise<{ pipelineRunId: string } | undefined> {
  return db.transaction(async (tx) => {
    const found = await lockAttempt(tx, key)
    if (!found) return undefined
    const { step, run, version } = found
    const config = configOf(version).steps.find(({ id }) => id === step.stepId)
    // A lock of a state belongs to the attempt, and would outlive a tool that was killed.
    if (step.stackId !== null) await releaseLocks(tx, step.organizationId, step.id)
    await saveStep(tx, settled(step, config, run, outcome, now))
    return { pipelineRunId: step.pipelineRunId }
  })
}
