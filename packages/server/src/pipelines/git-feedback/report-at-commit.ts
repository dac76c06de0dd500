import { GitAccessLost } from '../../git/adapter/errors.ts'
import type { HostedRepository, RepositoryChecks } from '../../git/adapter/host.ts'
import type { Db } from '../../platform/db/open.ts'
import {
  canCreateInTime,
  endCheckCreation,
  hasStatuses,
  leaseCheckCreation,
  type RunResults,
  saveFeedback,
  type UnreportedRun,
} from './store.ts'
import { checkOf, checkStateOf, statusOf } from './texts.ts'

type Parts = { db: Db; clock: () => Date }
type Shown = { untold: UnreportedRun; results: RunResults; url: string }

/**
 * Reports a run at its commit: as a check if the host supports checks and permits them, otherwise as a status. Returns
 * false if another call is creating the check.
 */
export async function reportAtCommit(parts: Parts, shown: Shown, repository: HostedRepository): Promise<boolean> {
  const { untold, url } = shown
  const { feedback } = untold
  const { checks } = repository
  if (checks && !(await hasStatuses(parts.db, feedback))) {
    try {
      return await reportAsCheck(parts, shown, checks)
    } catch (error) {
      if (!(error instanceof GitAccessLost && error.isForbidden)) throw error
    }
  }
  if (checks && !feedback.hasStatus) await saveFeedback(parts.db, feedback, { hasStatus: true })
  await repository.setCommitStatus(feedback.commit, statusOf(untold, url))
  return true
}

async function reportAsCheck(parts: Parts, shown: Shown, checks: RepositoryChecks): Promise<boolean> {
  const { untold, results, url } = shown
  const { checkId } = untold.feedback
  if (checkId === null) return createCheck(parts, shown, checks)
  await checks.updateCheck(checkId, checkStateOf(untold, results, url))
  return true
}

/** Creates the check unless it exists, because the response to an earlier attempt may have been lost. */
async function createCheck({ db, clock }: Parts, shown: Shown, checks: RepositoryChecks): Promise<boolean> {
  const { untold, results, url } = shown
  const { feedback } = untold
  const begunAt = clock()
  if (!(await leaseCheckCreation(db, feedback, begunAt))) return false
  try {
    const [check, standing] = [checkOf(untold), checkStateOf(untold, results, url)]
    const known = feedback.checkAttemptedAt === null ? undefined : await checks.findCheck(check)
    if (known !== undefined) await checks.updateCheck(known, standing)
    else if (!canCreateInTime(begunAt, clock())) return false // it took too long
    await saveFeedback(db, feedback, { checkId: known ?? (await checks.createCheck(check, standing)) })
    return true
  } catch (error) {
    await endCheckCreation(db, feedback, begunAt) // the retry need not wait for the lease
    throw error
  }
}
