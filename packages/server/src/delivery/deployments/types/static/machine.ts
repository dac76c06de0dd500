import type { RemovedPrefix, SiteInvalidation, UserFacingError } from '@sluice/contract'
import type {
  InvalidationFacts,
  Promotion,
  RemovedPage,
  Restoration,
  SiteFacts,
} from '../../../../cloud/facts/static.ts'
import { present } from '../../../../platform/present.ts'
import { onItsWayMs, patience, troubled } from '../../execution/attempts.ts'
import { refusedByCloud } from '../../execution/failures.ts'
import { finish, later, move, type PollPace } from '../../execution/state.ts'
import { begun, bookkeepingOf, givenUpBy, goTo, lookAgain } from '../../execution/transitions.ts'
import type { Bookkeeping, CloudNo } from '../deployment-type.ts'
import {
  changedOutside,
  finishedBeforeCancel,
  lostSight,
  releaseChanged,
  releaseHalfRemoved,
  releaseMissing,
  rollbackFailed,
  rollbackTimedOut,
  timedOut,
} from './failures.ts'
import type { StaticProgress, StaticStep } from './progress.ts'
import { isHalfRemoved, prefixesToRemove, type SiteRelease } from './retention.ts'
import type { StaticStanding } from './state.ts'
import { abandoned, failed, note } from './track.ts'

export type StaticAction = StaticCloudAction | Bookkeeping

/** Action of each step in the cloud; `remove` deletes a page of one directory. */
export type StaticCloudAction = { do: Exclude<StaticStep, 'remove'> } | { do: 'remove'; prefix: string }

/**
 * Reports whether an action changes the cloud and may take effect after it was given up, which applies only to
 * `promote`. The other actions are idempotent: `restore` reads first, invalidations have a reference, and deletions can
 * repeat.
 */
export const changesCloud = (action: StaticCloudAction): boolean => action.do === 'promote'

/** Reports whether an action only reads the cloud. */
export const onlyReads = (action: StaticCloudAction): boolean => action.do === 'wait'

export const freshProgress: StaticProgress = { step: 'prepare', attempt: 0, troubles: 0, quiet: 0, hooks: [] }

/** Returns the next action of an active deployment. */
export function nextAction(standing: StaticStanding, now: Date): StaticAction {
  const bookkeeping = bookkeepingOf(standing, now)
  if (bookkeeping) return bookkeeping
  const { progress } = standing
  if (progress.step !== 'remove') return { do: progress.step }
  return { do: 'remove', prefix: progress.toRemove?.[0] ?? '' }
}

/** Starts the deployment. */
export const started = (standing: StaticStanding, now: Date): StaticStanding =>
  begun(standing, standing.release.timeoutSeconds * 1000, now, note)

/** Applies the state of the directory, the distributions, and the served directory. */
export function prepared(
  standing: StaticStanding,
  { hasFiles, contentDigest, active, distributions, uncompressing }: SiteFacts,
  history: readonly SiteRelease[],
  now: Date,
): StaticStanding {
  const { release } = standing
  if (!hasFiles) return failed(standing, releaseMissing(release), now)
  if (isHalfRemoved(release.prefix, history)) return failed(standing, releaseHalfRemoved(release), now)
  if (release.contentDigest !== undefined && release.contentDigest !== contentDigest) {
    return failed(standing, releaseChanged(release), now)
  }
  const data = { ...standing.data, distributions, ...present({ previousPrefix: active }) }
  return goTo({ ...standing, data }, 'promote', now, { ...present({ contentDigest }), uncompressing })
}

/** Records that the store serves the release's directory, or that another actor changed it. */
export function promoted(standing: StaticStanding, promotion: Promotion, now: Date): StaticStanding {
  const { release, data } = standing
  if (promotion.verdict === 'changed') {
    return failed(standing, changedOutside(release, data.previousPrefix, promotion.active), now)
  }
  const served =
    data.previousPrefix === release.prefix
      ? `The site was served from ${release.prefix} already: nothing was shifted.`
      : `The site is served from ${release.prefix}, before from ${data.previousPrefix ?? 'nowhere'}.`
  const message = [served, ...hintsAbout(standing.progress.uncompressing ?? [])].join(' ')
  const then = { ...standing, data: { ...data, promotedAt: now.toISOString() } }
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

const afterPromotion = (standing: StaticStanding, now: Date): StaticStanding =>
  standing.release.invalidationPaths.length > 0 ? goTo(standing, 'invalidate', now) : released(standing, now)

/** Records that the caches of every distribution are being invalidated. */
export function invalidating(standing: StaticStanding, made: InvalidationFacts[], now: Date): StaticStanding {
  const { data, status, externalDeploymentId } = standing
  const purpose = status === 'ROLLING_BACK' ? ('ROLLBACK' as const) : ('RELEASE' as const)
  const requestedAt = now.toISOString()
  const invalidations = [...(data.invalidations ?? []), ...made.map((one) => ({ ...one, purpose, requestedAt }))]
  const asked = {
    ...standing,
    data: { ...data, invalidations },
    externalDeploymentId: externalDeploymentId ?? made[0]?.invalidationId ?? null,
  }
  if (status === 'ROLLING_BACK') return goTo(asked, 'wait', now)
  const message = `Emptying the caches: ${standing.release.invalidationPaths.join(', ')}.`
  return goTo(note(asked, 'INVALIDATE', now, { message }), 'wait', now)
}

/** Returns the invalidations that are not known to be complete. */
export const openInvalidations = ({ data }: StaticStanding): SiteInvalidation[] =>
  (data.invalidations ?? []).filter(({ status }) => status !== 'Completed')

/** Applies the observed state of the invalidations. */
export function waited(standing: StaticStanding, seen: InvalidationFacts[], pace: PollPace, now: Date): StaticStanding {
  const statusOf = new Map(seen.map(({ invalidationId, status }) => [invalidationId, status]))
  const invalidations = (standing.data.invalidations ?? []).map((one) => ({
    ...one,
    status: statusOf.get(one.invalidationId) ?? one.status,
  }))
  const known = { ...standing, data: { ...standing.data, invalidations } }
  if (openInvalidations(known).length === 0) {
    return known.status === 'ROLLING_BACK' ? rolledBack(known, servedAgain(known), now) : released(known, now)
  }
  return lookAgain(known, { pace, now, waitingFor: 'the content network to empty its caches' })
}

/** Continues after the new release is served everywhere. */
function released(standing: StaticStanding, now: Date): StaticStanding {
  return standing.release.keepReleases === undefined ? succeeded(standing, now) : goTo(standing, 'retain', now)
}

/** Selects the directories of old releases to delete, by the directories that the bucket's deployments need. */
export function retained(
  standing: StaticStanding,
  moduleInstanceId: string,
  history: readonly SiteRelease[],
  now: Date,
): StaticStanding {
  const { keepReleases = Number.POSITIVE_INFINITY, prefix } = standing.release
  const toRemove = prefixesToRemove({ moduleInstanceId, prefix }, keepReleases, history)
  const message = toRemove.length === 0 ? 'No older release is deleted.' : `Deleting ${toRemove.join(', ')}.`
  return removeNext(note(standing, 'CLEAN_UP', now, { message }), toRemove, now)
}

function removeNext(standing: StaticStanding, toRemove: string[], now: Date): StaticStanding {
  const [next] = toRemove
  if (next === undefined) return succeeded(standing, now)
  const removal = { prefix: next, objectCount: 0, startedAt: now.toISOString() }
  const removedPrefixes = [...(standing.data.removedPrefixes ?? []), removal]
  return goTo({ ...standing, data: { ...standing.data, removedPrefixes } }, 'remove', now, { toRemove })
}

/** Records that a page of a directory was deleted, or that the directory turned out to be served. */
export function removed(standing: StaticStanding, page: RemovedPage, now: Date): StaticStanding {
  const [prefix, ...others] = standing.progress.toRemove ?? []
  const removals = standing.data.removedPrefixes ?? []
  const isThis = (one: RemovedPrefix) => one.prefix === prefix && one.completedAt === undefined
  if (page.verdict === 'active') {
    const kept = { ...standing.data, removedPrefixes: removals.filter((one) => !isThis(one)) }
    return removeNext({ ...standing, data: kept }, others, now)
  }
  const counted = removals.map((one) => {
    if (!isThis(one)) return one
    const objectCount = one.objectCount + page.objectCount
    return { ...one, objectCount, ...(page.isEmpty && { completedAt: now.toISOString() }) }
  })
  const known = { ...standing, data: { ...standing.data, removedPrefixes: counted } }
  return page.isEmpty ? removeNext(known, others, now) : goTo(known, 'remove', now)
}

function succeeded(standing: StaticStanding, now: Date): StaticStanding {
  return finish(note(standing, 'COMPLETED', now), 'SUCCESS', now)
}

/** Ends a live release although old directories could not be deleted. The next release continues with them. */
function succeededUntidied(standing: StaticStanding, why: string, now: Date): StaticStanding {
  return succeeded(note(standing, 'CLEAN_UP', now, { message: `Older releases were not all deleted: ${why}` }), now)
}

const isTidying = ({ progress }: StaticStanding) => progress.step === 'retain' || progress.step === 'remove'

/** Applies the expiry of the deadline. */
export function expired(standing: StaticStanding, now: Date): StaticStanding {
  const { release, status } = standing
  if (status === 'ROLLING_BACK') return failed(standing, rollbackTimedOut(release), now)
  if (isTidying(standing)) return succeededUntidied(standing, 'the timeout was reached.', now)
  const error = timedOut(release)
  return mayBeServed(standing) ? rollBack(standing, error, now) : failed(standing, error, now)
}

/**
 * Cancels the deployment on behalf of a user, for the reason `error`. Returns undefined if it has ended. Idempotent.
 */
export const cancelled = (standing: StaticStanding, now: Date, error: UserFacingError): StaticStanding | undefined =>
  givenUpBy(standing, (given) => {
    if (isTidying(given)) {
      return { ...succeededUntidied(given, 'it was cancelled.', now), error: finishedBeforeCancel() }
    }
    if (given.status === 'IN_PROGRESS' && mayBeServed(given)) return rollBack(given, error, now)
    return abandoned(given, error, now)
  })

/**
 * Reports whether the new release may be served. The promotion may be in flight as soon as its first attempt is
 * recorded.
 */
const mayBeServed = ({ progress: { step, attempt } }: StaticStanding): boolean =>
  step !== 'prepare' && (step !== 'promote' || attempt > 0)

function rollBack(standing: StaticStanding, error: UserFacingError, now: Date): StaticStanding {
  const rolling = {
    ...move(standing, 'ROLLING_BACK'),
    error,
    deadlineAt: later(now, standing.release.timeoutSeconds * 1000),
  }
  const noted = note(rolling, 'ROLLBACK_STARTED', now, { message: error.message })
  return goTo(noted, 'restore', now, { promotionMayArriveUntil: later(now, onItsWayMs).toISOString() })
}

/** Records that the served directory was read, and restored if it was the release's. */
export function restored(standing: StaticStanding, found: Restoration, pace: PollPace, now: Date): StaticStanding {
  const { release, data } = standing
  switch (found.verdict) {
    case 'changed':
      return failed(standing, changedOutside(release, release.prefix, found.active), now)
    case 'ours':
      return goTo({ ...standing, data: { ...data, promotedAt: now.toISOString() } }, 'restore', now)
    case 'put-back':
      return returned(standing, now)
    case 'as-before':
      return data.promotedAt === undefined ? notPromoted(standing, pace, now) : returned(standing, now)
  }
}

/** Continues after the previous directory is served again: invalidates the caches of what was served in between. */
const returned = (standing: StaticStanding, now: Date): StaticStanding =>
  standing.release.invalidationPaths.length > 0
    ? goTo(standing, 'invalidate', now)
    : rolledBack(standing, servedAgain(standing), now)

/**
 * Records that the store does not show the promotion. The request may be in flight; after some time it is certain that
 * the cloud did not receive it.
 */
function notPromoted(standing: StaticStanding, pace: PollPace, now: Date): StaticStanding {
  const { promotionMayArriveUntil } = standing.progress
  const leftMs = promotionMayArriveUntil === undefined ? 0 : Date.parse(promotionMayArriveUntil) - now.getTime()
  if (leftMs <= 0) return rolledBack(standing, 'The site had not been changed yet.', now)
  const waitingFor = 'a promotion whose answer was lost to reach the store'
  return lookAgain(standing, { pace, now, waitingFor, mostMs: leftMs })
}

const servedAgain = ({ data }: StaticStanding): string =>
  `The site is served from ${data.previousPrefix ?? 'nowhere'} again.`

function rolledBack(standing: StaticStanding, message: string, now: Date): StaticStanding {
  return finish(note(standing, 'ROLLED_BACK', now, { message }), 'ROLLED_BACK', now)
}

/**
 * Applies a permanent error of the cloud. Before the site was changed it ends the deployment; afterwards the site is
 * restored, or the action retried.
 */
export function refused(
  standing: StaticStanding,
  no: CloudNo,
  action: StaticCloudAction,
  pace: PollPace,
  now: Date,
): StaticStanding {
  const { release, progress, status } = standing
  if (action.do === 'retain' || action.do === 'remove') return succeededUntidied(standing, no.message, now)
  const isRollingBack = status === 'ROLLING_BACK'
  // The key is restored already; caches that cannot be invalidated expire by themselves.
  if (isRollingBack && action.do !== 'restore') {
    return rolledBack(standing, `${servedAgain(standing)} Its caches could not be emptied: ${no.message}`, now)
  }
  if (action.do === 'invalidate') return rollBack(standing, refusedByCloud(inWords.invalidate, no), now)
  // An earlier attempt at the promotion may have arrived, regardless of this error.
  const isFollowing = action.do === 'wait' || action.do === 'restore' || progress.attempt > 1
  if (!isFollowing) return failed(standing, refusedByCloud(inWords[action.do], no), now)
  if (progress.troubles < patience) return troubled(standing, no.message, pace, now)
  return failed(standing, isRollingBack ? rollbackFailed(release, no.message) : lostSight(release, no.message), now)
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
