import { hashOf } from '../../platform/auth/token.ts'
import type { Db } from '../../platform/db/open.ts'
import { findCurrentStep } from '../runner/claim.ts'
import type { FindRunnerScope } from '../runner/runner-tokens.ts'
import { findTaskOf, redeemTask } from './store.ts'
import type { TaskTokens } from './tokens.ts'

/**
 * Exchanges a task's launch token for its scope. `key` is chosen by the runner, so that it can repeat the request.
 * Returns undefined for an invalid token, one that another runner has used, or one of an ended attempt.
 */
export async function redeem(
  { db, taskTokens }: { db: Db; taskTokens: TaskTokens },
  token: string,
  key: string,
): Promise<{ runnerId: string; token: string } | undefined> {
  const task = await redeemTask(db, { tokenHash: hashOf(token), redeemedByHash: hashOf(key) })
  if (!task) return undefined
  const attempt = { organizationId: task.organizationId, id: task.stepExecutionId, attemptEpoch: task.attemptEpoch }
  const step = await findCurrentStep(db, attempt)
  if (!step?.runnerId) return undefined
  return { runnerId: step.runnerId, token: taskTokens.session.issue(attempt) }
}

/** Extends an authentication with the tokens of tasks. */
export const acceptTaskTokens =
  (db: Db, taskTokens: TaskTokens, ofOthers: FindRunnerScope): FindRunnerScope =>
  async (token) => {
    const attempt = taskTokens.session.read(token)
    if (!attempt) return ofOthers(token)
    const task = await findTaskOf(db, attempt)
    if (!task) return undefined
    const { organizationId, executionEnvironmentId, stepExecutionId, attemptEpoch } = task
    return { organizationId, executionEnvironmentId, stepExecutionId, attemptEpoch }
  }
