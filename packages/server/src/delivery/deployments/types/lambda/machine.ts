import type { UserFacingError } from '@sluice/contract'
import {
  type AliasState,
  addressOf,
  describeRouting,
  type SharingFacts,
  type VersionFacts,
} from '../../../../cloud/facts/lambda.ts'
import { present } from '../../../../platform/present.ts'
import { mustMeasure } from '../../analysis/state.ts'
import { maxRejections, retryLater } from '../../execution/attempts.ts'
import { refusedByCloud } from '../../execution/failures.ts'
import { continueNow, type PollPace } from '../../execution/state.ts'
import { bookkeepingOf, cancelWith, goTo, pollLater, startDeployment } from '../../execution/transitions.ts'
import type { Bookkeeping, CloudRejection } from '../deployment-type.ts'
import {
  codeChanged,
  codeFailed,
  finishedBeforeCancel,
  releaseMissing,
  rollbackFailed,
  rollbackTimedOut,
  timedOut,
  versionFailed,
  versionGone,
} from './failures.ts'
import type { LambdaProgress, LambdaStep } from './progress.ts'
import { codeToPublish } from './release.ts'
import { endWithOldVersions, isRemovingOldVersions, onRemovalRejected } from './retention.ts'
import { weightedRoutingBlocker } from './sharing.ts'
import { isDecided, pauseBeforeShift, routingBefore } from './shifts.ts'
import type { LambdaState } from './state.ts'
import { abandoned, bakeMinutes, failed, note } from './track.ts'
import { mayHaveMoved, observedAliasData, rollBack } from './transitions.ts'

export type LambdaAction = LambdaCloudAction | Bookkeeping

/**
 * Action of a step. A second attempt at `code` starts with `find`, which determines the result of the first. Pauses and
 * bakes are `proceed` or `measure`, because only time, users and checks end them. A rollback has the single action
 * `restore`.
 */
export type LambdaCloudAction = {
  do: Exclude<LambdaStep, 'pause' | 'bake'> | 'find' | 'proceed' | 'measure' | 'restore'
}

const changing: readonly LambdaCloudAction['do'][] = ['code', 'publish', 'shift', 'restore', 'remove']

/**
 * Reports whether an action changes the cloud. If so, the attempt is recorded before it, so that a crash can be
 * detected.
 */
export const changesCloud = (action: LambdaCloudAction): boolean => changing.includes(action.do)

const reading: readonly LambdaCloudAction['do'][] = ['inspect', 'settle', 'activate', 'proceed', 'confirm', 'retain']

/** Reports whether an action only reads the cloud. */
export const onlyReads = (action: LambdaCloudAction): boolean => reading.includes(action.do)

/** Returns the next action of an active deployment. */
export function nextAction(deployment: LambdaState, now: Date): LambdaAction {
  const bookkeeping = bookkeepingOf(deployment, now)
  if (bookkeeping) return bookkeeping
  const { status, progress } = deployment
  if (status === 'ROLLING_BACK') return { do: 'restore' }
  const { step, attempt } = progress
  if (step === 'code' && attempt > 0) return { do: 'find' }
  if (step !== 'pause' && step !== 'bake') return { do: step }
  // A bake ends only after the measurement that is due; a decided pause needs no measurement.
  return { do: mustMeasure(deployment, now) && !isDecided(deployment, now) ? 'measure' : 'proceed' }
}

export const freshProgress: LambdaProgress = {
  step: 'prepare',
  attempt: 0,
  troubles: 0,
  quiet: 0,
  hooks: [],
  shifts: 0,
}

/** Starts the deployment. */
export function start(deployment: LambdaState, now: Date): LambdaState {
  const { timeoutSeconds, strategy } = deployment.release
  return startDeployment(deployment, (timeoutSeconds + bakeMinutes(strategy) * 60) * 1000, now, note)
}

/**
 * State of the alias; on a redeployment, the version that ran before if it still exists; and whether the alias supports
 * weighted routing if the release uses it.
 */
export type Preparation = {
  alias: AliasState
  stored: VersionFacts | undefined
  sharing: SharingFacts | undefined
}

export function onPrepared(deployment: LambdaState, { alias, stored, sharing }: Preparation, now: Date): LambdaState {
  const { revisionId: _, ...before } = alias
  const { version: ___, ...data } = deployment.data
  const looked = {
    ...deployment,
    data: { ...data, previousVersion: alias.version, aliasState: observedAliasData(alias, now) },
  }
  const known = noteExistingWeights(looked, alias, now)
  const blocker = sharing && weightedRoutingBlocker(deployment.release, alias.version, sharing)
  if (blocker) return failed(known, blocker, now)
  // A function that was deleted and created again under the same name numbers its versions from 1 again.
  const isThere = stored !== undefined && stored.codeSha256 === deployment.release.version?.codeSha256
  if (!isThere && known.release.code === undefined) return failed(known, versionGone(known.release), now)
  if (!isThere) return goTo(known, 'inspect', now, { before })
  return goTo(withVersion(known, stored), 'activate', now, { before })
}

/** Records that another tool left the alias with weights. The release replaces them. */
function noteExistingWeights(deployment: LambdaState, alias: AliasState, now: Date): LambdaState {
  if (alias.additionalVersion === undefined) return deployment
  const message = `The alias shared its calls before this release: ${describeRouting(alias)}.`
  return note(deployment, 'WARNING', now, { message })
}

function withVersion(deployment: LambdaState, { version, codeSha256 }: VersionFacts): LambdaState {
  const externalDeploymentId = `${deployment.release.functionArn}:${version}`
  return { ...deployment, externalDeploymentId, data: { ...deployment.data, version, codeSha256 } }
}

/** Applies the state of the function before the code update. */
export function onInspected(deployment: LambdaState, latest: VersionFacts, pace: PollPace, now: Date): LambdaState {
  return isBusy(latest)
    ? waitWhileBusy(deployment, pace, now)
    : goTo(deployment, 'code', now, { latest: factsOf(latest) })
}

const factsOf = ({ revisionId, codeSha256 }: VersionFacts) => ({ revisionId, codeSha256 })

/** Returns the state of the function before the code update. */
export function latestBefore({ id, progress }: LambdaState): NonNullable<LambdaProgress['latest']> {
  if (progress.latest === undefined) throw new Error(`deployment ${id} has not looked at its function`)
  return progress.latest
}

export const isBusy = ({ state, update }: VersionFacts): boolean => state === 'Pending' || update === 'InProgress'

/** Waits because another change of the function, or our own without a response, is in progress. */
export const waitWhileBusy = (deployment: LambdaState, pace: PollPace, now: Date): LambdaState =>
  pollLater(deployment, { pace, now, waitingFor: 'an earlier change of the function to be through' })

/** Records the hash that the function's code will have. Nothing has been sent yet. */
export const recordExpectedCode = (deployment: LambdaState, expected: string, now: Date): LambdaState =>
  continueNow(
    { ...deployment, progress: { ...deployment.progress, attempt: 0, expected } },
    now,
    'the function to take the code',
  )

/** Records that the function rejected the code, because its revision id had changed. */
export const onCodeRejected = (deployment: LambdaState, now: Date): LambdaState =>
  continueNow(deployment, now, 'the function to be looked at again')

/**
 * Records that the function is unchanged, so that no attempt has arrived. All attempts have the same revision id, so
 * that at most one takes effect.
 */
export const onCodeUnchanged = (deployment: LambdaState, now: Date): LambdaState =>
  continueNow({ ...deployment, progress: { ...deployment.progress, attempt: 0 } }, now, 'the function to take the code')

/**
 * Records that the function has changed since it was inspected; `ours` is the hash of the release's code. Either our
 * attempt arrived, or another actor changed the settings or the code. If another actor restored the previous code, this
 * looks like a settings change, and the code is sent again.
 */
export function onCodeChanged(deployment: LambdaState, latest: VersionFacts, ours: string, now: Date): LambdaState {
  if (latest.codeSha256 === ours) return onCodeAccepted(deployment, latest, now)
  const isAsBefore = latest.codeSha256 === latestBefore(deployment).codeSha256
  if (isAsBefore) return goTo(deployment, 'code', now, { latest: factsOf(latest) })
  return failed(deployment, codeChanged(deployment.release, ours, latest.codeSha256), now)
}

/** Records that the function accepted the code and is processing it. */
export function onCodeAccepted(deployment: LambdaState, { codeSha256 }: VersionFacts, now: Date): LambdaState {
  const { release, data } = deployment
  const released = release.version?.codeSha256 ?? release.codeSha256
  if (released !== undefined && released !== codeSha256) {
    return failed(deployment, releaseMissing(release, released, codeSha256), now)
  }
  const message = `The function takes ${addressOf(codeToPublish(release))}.`
  return goTo(note({ ...deployment, data: { ...data, codeSha256 } }, 'UPDATE_CODE', now, { message }), 'settle', now)
}

/** Applies the observed state of the code update. */
export function onUpdateObserved(
  deployment: LambdaState,
  latest: VersionFacts,
  pace: PollPace,
  now: Date,
): LambdaState {
  const { release, data } = deployment
  const ours = data.codeSha256 ?? ''
  if (latest.codeSha256 !== ours) return failed(deployment, codeChanged(release, ours, latest.codeSha256), now)
  if (latest.update === 'InProgress')
    return pollLater(deployment, { pace, now, waitingFor: 'the function to take the code' })
  if (latest.update === 'Failed') return failed(deployment, codeFailed(release, latest), now)
  return goTo(deployment, 'publish', now)
}

/** Records that the code is published as a version: a new one, or the newest one if code and settings are the same. */
export function onPublished(deployment: LambdaState, version: VersionFacts, now: Date): LambdaState {
  return goTo(withVersion(deployment, version), 'activate', now)
}

/** Applies the observed state of the version. */
export function onVersionObserved(
  deployment: LambdaState,
  version: VersionFacts,
  pace: PollPace,
  now: Date,
): LambdaState {
  if (version.state === 'Pending')
    return pollLater(deployment, { pace, now, waitingFor: 'the version to become active' })
  if (version.state === 'Failed') return failed(deployment, versionFailed(deployment.release, version), now)
  const { resolvedImageUri } = version
  const isOld = deployment.release.version?.version === version.version && deployment.progress.latest === undefined
  const message = isOld ? `Version ${version.version} is still there.` : `Published version ${version.version}.`
  const active = note(deployment, 'PUBLISH_VERSION', now, { message })
  return pauseBeforeShift({ ...active, data: { ...active.data, ...present({ resolvedImageUri }) } }, now)
}

/** Handles a deadline that has passed. */
export function onDeadline(deployment: LambdaState, now: Date): LambdaState {
  const { release, status } = deployment
  if (status === 'ROLLING_BACK') return failed(deployment, rollbackTimedOut(release), now)
  if (isRemovingOldVersions(deployment)) return endWithOldVersions(deployment, 'the timeout was reached.', now)
  const error = timedOut(release)
  return mayHaveMoved(deployment)
    ? rollBack({ ...deployment, error }, error.message, now)
    : failed(deployment, error, now)
}

/**
 * Cancels the deployment on behalf of a user, for the reason `error`. Returns undefined if it has ended. Idempotent.
 */
export const cancel = (deployment: LambdaState, now: Date, error: UserFacingError): LambdaState | undefined =>
  cancelWith(deployment, (given) => {
    if (isRemovingOldVersions(given)) {
      return { ...endWithOldVersions(given, 'it was cancelled.', now), error: finishedBeforeCancel() }
    }
    return mayHaveMoved(given) ? rollBack({ ...given, error }, error.message, now) : abandoned(given, error, now)
  })

/**
 * Applies a permanent error of the cloud. Before the alias was moved it ends the deployment; afterwards it is retried
 * in case a permission is restored.
 */
export function onRejected(
  deployment: LambdaState,
  no: CloudRejection,
  action: LambdaCloudAction,
  pace: PollPace,
  now: Date,
): LambdaState {
  const { status, progress, release } = deployment
  if (isRemovingOldVersions(deployment)) return onRemovalRejected(deployment, no, now)
  const error = refusedByCloud(inWords[action.do], no)
  const { step, attempt, shifts } = progress
  // If the first attempt is rejected, no traffic has shifted. If a later one is, an earlier attempt may have succeeded.
  const isUnmoved = shifts === 0 && !(step === 'shift' && attempt > 1)
  if (status === 'IN_PROGRESS' && isUnmoved) return failed(deployment, error, now)
  if (progress.troubles < maxRejections) return retryLater(deployment, no.message, pace, now)
  if (status === 'IN_PROGRESS') return rollBack({ ...deployment, error }, error.message, now)
  return failed(deployment, rollbackFailed(release, routingBefore(deployment), no), now)
}

const inWords: Record<LambdaCloudAction['do'], string> = {
  prepare: 'show the alias',
  inspect: 'show the function',
  code: 'update the code of the function',
  find: 'compare the code of the function',
  settle: 'show the function',
  publish: 'publish a version',
  activate: 'show the version',
  shift: 'move the alias',
  proceed: 'go on',
  measure: 'measure the checks',
  confirm: 'show the alias',
  retain: 'show the versions',
  remove: 'delete an older version',
  restore: 'move the alias back',
}
