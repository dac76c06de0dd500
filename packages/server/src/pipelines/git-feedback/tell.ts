import type { Logger } from 'pino'
import { GitAccessLost, GitHostNotConfigured, GitHostRefusal, GitHostTrouble } from '../../git/adapter/errors.ts'
import { type OpenParts, openRepository } from '../../git/code-sources/open.ts'
import type { Db } from '../../platform/db/open.ts'
import { loadUntold, plansOf, saveFeedback, type Untold } from './store.ts'
import { commentOf, isLastWord, statusOf } from './words.ts'

export interface FeedbackParts extends OpenParts {
  db: Db
  clock: () => Date
  log: Logger
  /** Where people see a run. */
  linkToRun: (runId: string) => string
}

/** A host that is down for so many tries, half a minute and more apart, is not told any more. */
const mostFailures = 20

/** Tells git hosts how runs of a pipeline stand, one after the other. Trouble with one is none for the others. */
export async function tellHosts(parts: FeedbackParts, pipelineId: string, ids: string[]): Promise<void> {
  for (const untold of await loadUntold(parts.db, pipelineId, ids)) {
    const { feedback, run } = untold
    const outcome = await tryTo(parts, untold)
    const now = parts.clock()
    if (outcome.kind === 'told') {
      const wakeAt = isLastWord(run.status) ? null : now
      await saveFeedback(parts.db, feedback, { toldStatus: run.status, failures: 0, wakeAt })
      continue
    }
    const failures = feedback.failures + 1
    const isOver = outcome.kind === 'refused' || failures >= mostFailures
    const wakeAt = isOver ? null : new Date(now.getTime() + outcome.afterMs)
    await saveFeedback(parts.db, feedback, { failures, wakeAt, ...(isOver && { failure: outcome.message }) })
    parts.log.info({ run: run.id, failures, isOver, reason: outcome.message }, 'the git host was not told of a run')
  }
}

type Outcome =
  | { kind: 'told' }
  | { kind: 'trouble'; message: string; afterMs: number }
  | { kind: 'refused'; message: string }

async function tryTo(parts: FeedbackParts, untold: Untold): Promise<Outcome> {
  try {
    await tell(parts, untold)
    return { kind: 'told' }
  } catch (error) {
    if (error instanceof GitHostTrouble) {
      return { kind: 'trouble', message: error.message, afterMs: error.retryAfterSeconds * 1_000 }
    }
    const isRefused = [GitAccessLost, GitHostRefusal, GitHostNotConfigured].some((kind) => error instanceof kind)
    if (isRefused && error instanceof Error) return { kind: 'refused', message: error.message }
    throw error
  }
}

async function tell(parts: FeedbackParts, untold: Untold): Promise<void> {
  const { feedback, run, source } = untold
  const url = parts.linkToRun(run.id)
  const repository = await openRepository(parts.db, parts, source)
  await repository.setCommitStatus(feedback.commit, statusOf(untold, url))
  const plans = await plansOf(parts.db, feedback)
  if (plans.length === 0 && !isLastWord(run.status)) return // nothing to read yet
  const comment = commentOf(untold, plans, url)
  for (const number of await repository.openPullRequests(feedback.branch, feedback.commit)) {
    await repository.upsertComment(number, comment)
  }
}
