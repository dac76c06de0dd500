import { apiErrors, type UserFacingError } from '@sluice/contract'
import { ExpressionError } from '@sluice/expressions'
import { serviceAuthor } from '../../identity/audit-events/author.ts'
import { isEnding } from '../../identity/organizations/store.ts'
import { admitRun } from '../../pipelines/pipeline-runs/admit.ts'
import { messagesOf } from '../../pipelines/pipeline-runs/recipients.ts'
import type { ScheduleParts } from '../../pipelines/pipeline-triggers/schedules.ts'
import type { Db } from '../../platform/db/open.ts'
import { runAsOrganization } from '../../platform/db/organization.ts'
import type { Sweep } from '../../platform/db/sweeps.ts'
import { notifyEngine } from '../../platform/engine/tell.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import { nextCheckTime } from './next-check.ts'
import { startDriftCheck } from './start-check.ts'
import {
  countChecksInProgress,
  hasDueChecks,
  isCheckInProgress,
  lockDueCheck,
  lockScheduledChecks,
  noteFailure,
  updateDrift,
} from './store.ts'
import type { StackDriftRow } from './tables.ts'

/** Maximum number of checks to start per pass; the next one follows soon. */
const maxBatchSize = 100

/**
 * Starts the drift checks that are due, each once across all processes and within the organization's limit. Returns
 * their number.
 */
export async function startDueChecks(parts: ScheduleParts): Promise<number> {
  const { db, clock } = parts
  for (let due = 0; due < maxBatchSize; due++) {
    const begun = await db.transaction((tx) => startNextCheck(tx, parts, clock()))
    if (!begun) return due
    await notifyEngine(parts, messagesOf({ runs: begun }))
  }
  return maxBatchSize
}

/**
 * Starts the next due check. Returns the run ids to notify the engine of, or undefined if none is due or another
 * process has it.
 */
async function startNextCheck(tx: Db, parts: ScheduleParts, now: Date): Promise<string[] | undefined> {
  const maxChecks = parts.limits.mosts.driftChecks
  const drift = await lockDueCheck(tx, maxChecks, now)
  if (!drift) return undefined
  const { organizationId } = drift
  return runAsOrganization(tx, organizationId, async () => {
    // Counts again under the lock, because two processes may both have found room for one more.
    await lockScheduledChecks(tx, organizationId)
    if (maxChecks !== undefined && (await countChecksInProgress(tx, organizationId, maxChecks)) >= maxChecks)
      return undefined
    const runs = await startCheck(tx, drift, parts, now)
    // Schedules from the current time, so that missed checks are not repeated.
    await updateDrift(tx, drift, { nextAt: timeAfter(drift, now) ?? null })
    return runs
  })
}

const timeAfter = ({ stackId, cron, timeZone }: StackDriftRow, now: Date): Date | undefined =>
  cron === null || timeZone === null ? undefined : nextCheckTime({ stackId, cron, timeZone }, now)

/** Starts a check, or records the error, because no user waits for it. */
async function startCheck(tx: Db, drift: StackDriftRow, { limits, log }: ScheduleParts, now: Date): Promise<string[]> {
  const { organizationId, stackId, cron, timeZone } = drift
  if ((await isEnding(tx, organizationId)) || (await isCheckInProgress(tx, drift))) return []
  try {
    return await tx.transaction(async (savepoint) => {
      await admitRun(limits, savepoint, organizationId)
      const author = serviceAuthor(organizationId, 'SCHEDULE')
      const triggeredBy = `the schedule ${cron} (${timeZone})`
      return startDriftCheck(savepoint, drift, { author, triggerSource: 'SCHEDULE', triggeredBy, now })
    })
  } catch (error) {
    const failure = inWords(error)
    if (!failure) throw error
    log.warn({ stackId, reason: failure.message }, 'a look for drift could not begin')
    await noteFailure(tx, drift, failure, now)
    return []
  }
}

function inWords(error: unknown): UserFacingError | undefined {
  if (error instanceof ApiError) {
    const { description, details } = error.extras
    return {
      code: apiErrors[error.key].code,
      message: error.message,
      ...(description && { description }),
      ...(details && { details }),
    }
  }
  if (!(error instanceof ExpressionError)) return undefined
  const items = error.faults.map(({ path, message }) => `${path}: ${message}`)
  const message = 'An input of the drift check has no value.'
  return { code: apiErrors.runTemplateFailed.code, message, details: [{ title: 'Config', render: 'list', items }] }
}

/** Returns the periodic task that starts drift checks. */
export const driftCheckTask = (parts: ScheduleParts): Sweep => ({
  what: 'looks for drift',
  due: hasDueChecks,
  sweep: () => startDueChecks(parts),
})
