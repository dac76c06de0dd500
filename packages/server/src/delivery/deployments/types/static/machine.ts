import type { RemovedPrefix, SiteInvalidation, UserFacingError } from '@sluice/contract'
import type {
  ActivationResult,
  InvalidationFacts,
  RemovedPage,
  Restoration,
  SiteFacts,
} from '../../../../cloud/facts/static.ts'
import { present } from '../../../../platform/present.ts'
import { maxInFlightMs, maxRejections, retryLater } from '../../execution/attempts.ts'
import { refusedByCloud } from '../../execution/failures.ts'
import { finish, later, type PollPace, setStatus } from '../../execution/state.ts'
import { bookkeepingOf, cancelWith, goTo, pollLater, startDeployment } from '../../execution/transitions.ts'
import type { Bookkeeping, CloudRejection } from '../deployment-type.ts'
import {
  changedExternally,
  finishedBeforeCancel,
  observationRejected,
  releaseChanged,
  releaseHalfRemoved,
  releaseMissing,
  rollbackFailed,
  rollbackTimedOut,
  timedOut,
} from './failures.ts'
import type { StaticProgress, StaticStep } from './progress.ts'
import { isPartlyRemoved, prefixesToRemove, type SiteRelease } from './retention.ts'
import type { StaticState } from './state.ts'
import { abandoned, failed, note } from './track.ts'

export type StaticAction = StaticCloudAction | Bookkeeping

/** Action of each step in the cloud; `remove` deletes a page of one directory. */
export type StaticCloudAction = { do: Exclude<StaticStep, 'remove'> } | { do: 'remove'; prefix: string }

/**
 * Reports whether an action changes the cloud and can still take effect after its call has timed out: only `promote`.
 * The other actions can be repeated: `restore` reads first, invalidations have a reference, and deletions are
 * idempotent.
 */
export const changesCloud = (action: StaticCloudAction): boolean => action.do === 'promote'

/** Reports whether an action only reads the cloud. */
export const onlyReads = (action: StaticCloudAction): boolean => action.do === 'wait'

export const freshProgress: StaticProgress = { step: 'prepare', attempt: 0, troubles: 0, quiet: 0, hooks: [] }

/** Returns the next action of an active deployment. */
export function nextAction(deployment: StaticState, now: Date): StaticAction {
  const bookkeeping = bookkeepingOf(deployment, now)
  if (bookkeeping) return bookkeeping
  const { progress } = deployment
  if (progress.step !== 'remove') return { do: progress.step }
  return { do: 'remove', prefix: progress.toRemove?.[0] ?? '' }
}

/** Starts the deployment. */
export const start = (deployment: StaticState, now: Date): StaticState =>
  startDeployment(deployment, deployment.release.timeoutSeconds * 1000, now, note)

/** Applies the state of the directory, the distributions, and the served directory. */
export function onPrepared(
  deployment: StaticState,
  { hasFiles, contentDigest, active, distributions, uncompressing }: SiteFacts,
  history: readonly SiteRelease[],
  now: Date,
): StaticState {
  const { release } = deployment
  if (!hasFiles) return failed(deployment, releaseMissing(release), now)
  if (isPartlyRemoved(release.prefix, history)) return failed(deployment, releaseHalfRemoved(release), now)
  if (release.contentDigest !== undefined && release.contentDigest !== contentDigest) {
    return failed(deployment, releaseChanged(release), now)
  }
  const data = { ...deployment.data, distributions, ...present({ previousPrefix: active }) }
  return goTo({ ...deployment, data }, 'promote', now, { ...present({ contentDigest }), uncompressing })
}

/** Records that the store serves the release's directory, or that another actor changed it. */
export function onPromoted(deployment: StaticState, promotion: ActivationResult, now: Date): StaticState {
  const { release, data } = deployment
  if (promotion.verdict === 'changed') {
    return failed(deployment, changedExternally(release, data.previousPrefix, promotion.active), now)
  }
  const served =
    data.previousPrefix === release.prefix
      ? `The site was served from ${release.prefix} already: nothing was shifted.`
      : `The site is served from ${release.prefix}, before from ${data.previousPrefix ?? 'nowhere'}.`
  const message = [served, ...hintsAbout(deployment.progress.uncompressing ?? [])].join(' ')
  const then = { ...deployment, data: { ...data, promotedAt: now.toISOString() } }
  return afterPromotion(note(then, 'PROMOTE', now, { message }), now)
}

/**
 * Returns a hint about distributions that do not compress. Files are stored as they are, because only a distribution
 * knows what the browser accepts.
 */
const hintsAbout = (uncompressing: string[]): string[] =>
  uncompressing.length === 0
    ? []
    : [`Uncompressed by ${uncompressing.join(', ')}: switch on \`Compress\` in the default cache behavior there.`]

const afterPromotion = (deployment: StaticState, now: Date): StaticState =>
  deployment.release.invalidationPaths.length > 0 ? goTo(deployment, 'invalidate', now) : onReleased(deployment, now)

/** Records that the caches of every distribution are being invalidated. */
export function onInvalidationsCreated(deployment: StaticState, made: InvalidationFacts[], now: Date): StaticState {
  const { data, status, externalDeploymentId } = deployment
  const purpose = status === 'ROLLING_BACK' ? ('ROLLBACK' as const) : ('RELEASE' as const)
  const requestedAt = now.toISOString()
  const invalidations = [...(data.invalidations ?? []), ...made.map((one) => ({ ...one, purpose, requestedAt }))]
  const asked = {
    ...deployment,
    data: { ...data, invalidations },
    externalDeploymentId: externalDeploymentId ?? made[0]?.invalidationId ?? null,
  }
  if (status === 'ROLLING_BACK') return goTo(asked, 'wait', now)
  const message = `Emptying the caches: ${deployment.release.invalidationPaths.join(', ')}.`
  return goTo(note(asked, 'INVALIDATE', now, { message }), 'wait', now)
}

/** Returns the invalidations that are not known to be complete. */
export const openInvalidations = ({ data }: StaticState): SiteInvalidation[] =>
  (data.invalidations ?? []).filter(({ status }) => status !== 'Completed')

/** Applies the observed state of the invalidations. */
export function onInvalidationsObserved(
  deployment: StaticState,
  seen: InvalidationFacts[],
  pace: PollPace,
  now: Date,
): StaticState {
  const statusOf = new Map(seen.map(({ invalidationId, status }) => [invalidationId, status]))
  const invalidations = (deployment.data.invalidations ?? []).map((one) => ({
    ...one,
    status: statusOf.get(one.invalidationId) ?? one.status,
  }))
  const known = { ...deployment, data: { ...deployment.data, invalidations } }
  if (openInvalidations(known).length === 0) {
    return known.status === 'ROLLING_BACK' ? rolledBack(known, servedAgain(known), now) : onReleased(known, now)
  }
  return pollLater(known, { pace, now, waitingFor: 'the content network to empty its caches' })
}

/** Continues after the new release is served everywhere. */
function onReleased(deployment: StaticState, now: Date): StaticState {
  return deployment.release.keepReleases === undefined ? succeeded(deployment, now) : goTo(deployment, 'retain', now)
}

/** Selects the directories of old releases to delete, by the directories that the bucket's deployments need. */
export function selectDirectoriesToRemove(
  deployment: StaticState,
  moduleInstanceId: string,
  history: readonly SiteRelease[],
  now: Date,
): StaticState {
  const { keepReleases = Number.POSITIVE_INFINITY, prefix } = deployment.release
  const toRemove = prefixesToRemove({ moduleInstanceId, prefix }, keepReleases, history)
  const message = toRemove.length === 0 ? 'No older release is deleted.' : `Deleting ${toRemove.join(', ')}.`
  return removeNext(note(deployment, 'CLEAN_UP', now, { message }), toRemove, now)
}

function removeNext(deployment: StaticState, toRemove: string[], now: Date): StaticState {
  const [next] = toRemove
  if (next === undefined) return succeeded(deployment, now)
  const removal = { prefix: next, objectCount: 0, startedAt: now.toISOString() }
  const removedPrefixes = [...(deployment.data.removedPrefixes ?? []), removal]
  return goTo({ ...deployment, data: { ...deployment.data, removedPrefixes } }, 'remove', now, { toRemove })
}

/** Records that a page of a directory was deleted, or that the directory turned out to be served. */
export function onPageRemoved(deployment: StaticState, page: RemovedPage, now: Date): StaticState {
  const [prefix, ...others] = deployment.progress.toRemove ?? []
  const removals = deployment.data.removedPrefixes ?? []
  const isThis = (one: RemovedPrefix) => one.prefix === prefix && one.completedAt === undefined
  if (page.verdict === 'active') {
    const kept = { ...deployment.data, removedPrefixes: removals.filter((one) => !isThis(one)) }
    return removeNext({ ...deployment, data: kept }, others, now)
  }
  const counted = removals.map((one) => {
    if (!isThis(one)) return one
    const objectCount = one.objectCount + page.objectCount
    return { ...one, objectCount, ...(page.isEmpty && { completedAt: now.toISOString() }) }
  })
  const known = { ...deployment, data: { ...deployment.data, removedPrefixes: counted } }
  return page.isEmpty ? removeNext(known, others, now) : goTo(known, 'remove', now)
}

function succeeded(deployment: StaticState, now: Date): StaticState {
  return finish(note(deployment, 'COMPLETED', now), 'SUCCESS', now)
}

/** Ends a live release although old directories could not be deleted. The next release tries again. */
function endWithOldDirectories(deployment: StaticState, why: string, now: Date): StaticState {
  return succeeded(note(deployment, 'CLEAN_UP', now, { message: `Older releases were not all deleted: ${why}` }), now)
}

const isRemovingOldDirectories = ({ progress }: StaticState) => progress.step === 'retain' || progress.step === 'remove'

/** Handles an expired deadline. */
export function onDeadline(deployment: StaticState, now: Date): StaticState {
  const { release, status } = deployment
  if (status === 'ROLLING_BACK') return failed(deployment, rollbackTimedOut(release), now)
  if (isRemovingOldDirectories(deployment)) return endWithOldDirectories(deployment, 'the timeout was reached.', now)
  const error = timedOut(release)
  return mayBeServed(deployment) ? rollBack(deployment, error, now) : failed(deployment, error, now)
}

/**
 * Cancels the deployment on behalf of a user, for the reason `error`. Returns undefined if it has ended. Idempotent.
 */
export const cancel = (deployment: StaticState, now: Date, error: UserFacingError): StaticState | undefined =>
  cancelWith(deployment, (given) => {
    if (isRemovingOldDirectories(given)) {
      return { ...endWithOldDirectories(given, 'it was cancelled.', now), error: finishedBeforeCancel() }
    }
    if (given.status === 'IN_PROGRESS' && mayBeServed(given)) return rollBack(given, error, now)
    return abandoned(given, error, now)
  })

/**
 * Reports whether the new release may be served. The promotion may be in flight as soon as its first attempt is
 * recorded.
 */
const mayBeServed = ({ progress: { step, attempt } }: StaticState): boolean =>
  step !== 'prepare' && (step !== 'promote' || attempt > 0)

function rollBack(deployment: StaticState, error: UserFacingError, now: Date): StaticState {
  const rolling = {
    ...setStatus(deployment, 'ROLLING_BACK'),
    error,
    deadlineAt: later(now, deployment.release.timeoutSeconds * 1000),
  }
  const noted = note(rolling, 'ROLLBACK_STARTED', now, { message: error.message })
  return goTo(noted, 'restore', now, { promotionMayArriveUntil: later(now, maxInFlightMs).toISOString() })
}

/** Records that the served directory was read, and restored if it was the release's. */
export function onRestored(deployment: StaticState, found: Restoration, pace: PollPace, now: Date): StaticState {
  const { release, data } = deployment
  switch (found.verdict) {
    case 'changed':
      return failed(deployment, changedExternally(release, release.prefix, found.active), now)
    case 'ours':
      return goTo({ ...deployment, data: { ...data, promotedAt: now.toISOString() } }, 'restore', now)
    case 'put-back':
      return returned(deployment, now)
    case 'as-before':
      return data.promotedAt === undefined ? onPromotionNotFound(deployment, pace, now) : returned(deployment, now)
  }
}

/** Continues after the previous directory is served again: invalidates the caches of what was served in between. */
const returned = (deployment: StaticState, now: Date): StaticState =>
  deployment.release.invalidationPaths.length > 0
    ? goTo(deployment, 'invalidate', now)
    : rolledBack(deployment, servedAgain(deployment), now)

/**
 * Records that the store does not show the promotion. The request may be in flight; after some time it is certain that
 * the cloud did not receive it.
 */
function onPromotionNotFound(deployment: StaticState, pace: PollPace, now: Date): StaticState {
  const { promotionMayArriveUntil } = deployment.progress
  const leftMs = promotionMayArriveUntil === undefined ? 0 : Date.parse(promotionMayArriveUntil) - now.getTime()
  if (leftMs <= 0) return rolledBack(deployment, 'The site had not been changed yet.', now)
  const waitingFor = 'a promotion whose answer was lost to reach the store'
  return pollLater(deployment, { pace, now, waitingFor, mostMs: leftMs })
}

const servedAgain = ({ data }: StaticState): string =>
  `The site is served from ${data.previousPrefix ?? 'nowhere'} again.`

function rolledBack(deployment: StaticState, message: string, now: Date): StaticState {
  return finish(note(deployment, 'ROLLED_BACK', now, { message }), 'ROLLED_BACK', now)
}

/**
 * Applies a permanent error of the cloud. Before the site was changed it ends the deployment; afterwards the site is
 * restored, or the action retried.
 */
export function onRejected(
  deployment: StaticState,
  no: CloudRejection,
  action: StaticCloudAction,
  pace: PollPace,
  now: Date,
): StaticState {
  const { release, progress, status } = deployment
  if (action.do === 'retain' || action.do === 'remove') return endWithOldDirectories(deployment, no.message, now)
  const isRollingBack = status === 'ROLLING_BACK'
  // The key is already restored; caches that cannot be invalidated expire on their own.
  if (isRollingBack && action.do !== 'restore') {
    return rolledBack(deployment, `${servedAgain(deployment)} Its caches could not be emptied: ${no.message}`, now)
  }
  if (action.do === 'invalidate') return rollBack(deployment, refusedByCloud(inWords.invalidate, no), now)
  // An earlier attempt at the promotion may have arrived, regardless of this error.
  const isFollowing = action.do === 'wait' || action.do === 'restore' || progress.attempt > 1
  if (!isFollowing) return failed(deployment, refusedByCloud(inWords[action.do], no), now)
  if (progress.troubles < maxRejections) return retryLater(deployment, no.message, pace, now)
  return failed(
    deployment,
    isRollingBack ? rollbackFailed(release, no.message) : observationRejected(release, no.message),
    now,
  )
}

const inWords: Record<StaticCloudAction['do'], string> = {
  prepare: 'show the site',
  promote: 'set what is served',
  restore: 'set what is served',
  invalidate: 'empty the caches',
  wait: 'show the invalidation',
  retain: 'show what is served',
  remove: 'delete older releases',
}
