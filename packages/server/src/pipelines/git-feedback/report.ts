import type { Logger } from 'pino'
import { type OpenParts, openRepository } from '../../git/code-sources/open.ts'
import { failureOf } from '../../git/code-sources/report-failure.ts'
import type { Db } from '../../platform/db/open.ts'
import { reportAtCommit } from './report-at-commit.ts'
import { loadUnreported, plansOf, rehearsalsOf, saveFeedback, type UnreportedRun } from './store.ts'
import { commentOf, isFinalStatus } from './texts.ts'

export interface FeedbackParts extends OpenParts {
  db: Db
  clock: () => Date
  log: Logger
  /** Returns the console address of a run. */
  linkToRun: (runId: string) => string
}

/** Maximum number of failed attempts, at least half a minute apart, before reporting is given up. */
const maxFailures = 20

/** Reports runs of a pipeline to Git hosts, one after the other. An error with one run does not affect the others. */
export async function reportRuns(parts: FeedbackParts, pipelineId: string, ids: string[]): Promise<void> {
  for (const untold of await loadUnreported(parts.db, pipelineId, ids)) {
    const { feedback, run } = untold
    let isDone = true
    const trouble = await failureOf(async () => {
      isDone = await reportRun(parts, untold)
    })
    if (!isDone) continue // reported by the call with the lease or, if that crashed, by a later one
    const now = parts.clock()
    if (!trouble) {
      const wakeAt = isFinalStatus(run.status) ? null : now
      await saveFeedback(parts.db, feedback, { toldStatus: run.status, failures: 0, wakeAt })
      continue
    }
    const failures = feedback.failures + 1
    const { message, afterMs } = trouble
    const wakeAt = afterMs === undefined || failures >= maxFailures ? null : new Date(now.getTime() + afterMs)
    const isOver = wakeAt === null
    await saveFeedback(parts.db, feedback, { failures, wakeAt, ...(isOver && { failure: message }) })
    parts.log.info({ run: run.id, failures, isOver, reason: message }, 'a run could not be reported to the git host')
  }
}

/** Returns false if another call is creating the check of the run. */
async function reportRun(parts: FeedbackParts, untold: UnreportedRun): Promise<boolean> {
  const { feedback, run, source } = untold
  const url = parts.linkToRun(run.id)
  const repository = await openRepository(parts.db, parts, source)
  const results = { plans: await plansOf(parts.db, feedback), rehearsals: await rehearsalsOf(parts.db, feedback) }
  if (!(await reportAtCommit(parts, { untold, results, url }, repository))) return false
  const isEmpty = results.plans.length === 0 && results.rehearsals.length === 0
  if (isEmpty && !isFinalStatus(run.status)) return true // nothing to display yet
  const comment = commentOf(untold, results, url)
  for (const number of await repository.openPullRequests(feedback.branch, feedback.commit)) {
    await repository.upsertComment(number, comment)
  }
  return true
}
