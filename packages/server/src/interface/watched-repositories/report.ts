import { retryAt } from './machine.ts'
import { openWatched, planCommit, type WatchedParts } from './plan.ts'
import { problemOf } from './problems.ts'
import { dueBy, findRequestOf, savePullRequest } from './store.ts'
import { commentOf, type Outcome, statusOf } from './texts.ts'

/**
 * Plans the files of a pull request at its newest commit and reports the result. Changes nothing but the comment and
 * the check.
 */
export async function reportPullRequest(parts: WatchedParts, id: string): Promise<void> {
  const { db, clock, log } = parts
  const found = await findRequestOf(db, id)
  if (!found?.request.dueAt || found.request.dueAt > clock()) return
  const { request, watched } = found
  try {
    const opened = await openWatched(parts, watched)
    const { repository, project } = opened
    const outcome = await outcomeOf(() => planCommit(opened, watched, request.commit))
    const comment = commentOf(watched, request, outcome)
    const url = parts.linkTo(`projects/${watched.projectId}`)
    await repository.setCommitStatus(request.commit, statusOf(project, outcome, url))
    if (watched.comments && comment.text !== request.told) await repository.upsertComment(request.number, comment)
    await savePullRequest(db, request, { told: comment.text, failures: 0, ...dueBy(null) })
  } catch (error) {
    const known = problemOf(error)
    const failures = request.failures + 1
    const again = known?.afterMs === undefined && known ? undefined : retryAt(failures, clock(), known?.afterMs)
    const told = { err: known ? undefined : error, watchedRepositoryId: watched.id, reason: known?.message }
    log[known ? 'info' : 'error'](told, 'a plan could not be reported on a pull request')
    await savePullRequest(db, request, { failures, ...dueBy(again ?? null) })
  }
}

/** Returns the plan, or the reason why there is none if the authors can fix it. */
async function outcomeOf(plan: () => ReturnType<typeof planCommit>): Promise<Outcome> {
  try {
    return await plan()
  } catch (error) {
    const known = problemOf(error)
    if (!known || known.afterMs !== undefined) throw error
    return { trouble: known.message }
  }
}
