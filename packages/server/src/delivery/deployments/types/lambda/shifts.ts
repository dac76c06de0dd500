import type { FunctionPauseStage } from '@sluice/contract'
import {
  type AliasState,
  describeRouting,
  isMovingTo,
  isSameRouting,
  percent,
  type Routing,
} from '../../../../cloud/facts/lambda.ts'
import type { PauseStage } from '../../../../cloud/facts/pause-stage.ts'
import { answerHook, continuedMessage, holdDeadline } from '../../execution/pauses.ts'
import type { Hook } from '../../execution/progress.ts'
import { continueNow, finish, later, type PollPace, pollAfter } from '../../execution/state.ts'
import { goTo, pollLater } from '../../execution/transitions.ts'
import { aliasChanged, pauseTimedOut } from './failures.ts'
import type { LambdaState } from './state.ts'
import { bakeMinutesAfter, failed, note, reach, sharesOf, stepOfShift, trackOf, trafficPhaseAfter } from './track.ts'
import { observedAliasData, rollBack } from './transitions.ts'

/**
 * Returns the version of the release.
 * @throws if it is not published yet, which is a defect
 */
export function versionOf({ id, data }: LambdaState): string {
  if (data.version === undefined) throw new Error(`deployment ${id} has no version`)
  return data.version
}

/**
 * Returns the alias as last observed.
 * @throws before the first poll, which is a defect
 */
export function aliasOf({ id, data }: LambdaState): AliasState {
  if (data.aliasState === undefined) throw new Error(`deployment ${id} has not looked at its alias`)
  return data.aliasState
}

/** Returns the routing of the alias before the release. */
export function routingBefore({ id, progress }: LambdaState): Routing {
  if (progress.before === undefined) throw new Error(`deployment ${id} does not know what its alias did before`)
  return progress.before
}

/** Returns the routing after the next shift. */
export function nextRouting(deployment: LambdaState): Routing {
  const share = sharesOf(deployment.release.strategy)[deployment.progress.shifts] ?? 100
  const [version, before] = [versionOf(deployment), routingBefore(deployment).version]
  if (share >= 100 || before === version) return { version }
  return { version: before, additionalVersion: version, additionalWeight: share / 100 }
}

/**
 * Opens the pauses before a shift, or starts the shift if there are none. No shift is left when all traffic goes to the
 * version.
 */
export function pauseBeforeShift(deployment: LambdaState, now: Date): LambdaState {
  if (isSameRouting(aliasOf(deployment), { version: versionOf(deployment) })) return goTo(deployment, 'confirm', now)
  return pauseAt(deployment, 'PRE_PRODUCTION_TRAFFIC_SHIFT', now) ?? goTo(deployment, 'shift', now)
}

/** Reports whether the alias accepted the last shift while its provisioned concurrency is still following. */
const isMoving = (deployment: LambdaState, alias: AliasState): boolean =>
  isMovingTo(alias, { version: versionOf(deployment) }, routingBefore(deployment).version)

/** Records that the alias accepted the shift. */
export function onShifted(deployment: LambdaState, alias: AliasState, now: Date): LambdaState {
  const { release, progress, data } = deployment
  const shifts = progress.shifts + 1
  const share = sharesOf(release.strategy)[shifts - 1] ?? 100
  const done = {
    ...deployment,
    data: { ...data, aliasState: observedAliasData(alias, now) },
    progress: { ...progress, shifts },
  }
  const message = isMoving(deployment, alias)
    ? `All calls go to version ${versionOf(deployment)} as soon as its provisioned concurrency is ready.`
    : `${percent(share / 100)} % of the calls go to version ${versionOf(deployment)}.`
  const trafficPhase = trafficPhaseAfter(release.strategy, shifts)
  const noted = reach(done, stepOfShift(release, shifts), now, { message, trafficPhase })
  if (shifts < sharesOf(release.strategy).length) return bake(noted, now)
  return pauseAt(noted, 'POST_PRODUCTION_TRAFFIC_SHIFT', now) ?? bake(noted, now)
}

/**
 * Records that the alias rejected the shift because of its revision id. Either an earlier attempt arrived, or another
 * actor changed the alias, with or without moving it.
 */
export function onShiftRejected(deployment: LambdaState, alias: AliasState, now: Date): LambdaState {
  const next = nextRouting(deployment)
  const isLast = next.additionalVersion === undefined
  if (isSameRouting(alias, next) || (isLast && isMoving(deployment, alias))) return onShifted(deployment, alias, now)
  if (isSameRouting(alias, aliasOf(deployment))) return adopt(deployment, alias, now)
  return failed(deployment, aliasChanged(deployment.release, aliasOf(deployment), alias), now)
}

/** Uses the new revision id for the next attempt, because the routing is unchanged. */
function adopt(deployment: LambdaState, alias: AliasState, now: Date): LambdaState {
  const known = { ...deployment, data: { ...deployment.data, aliasState: observedAliasData(alias, now) } }
  return continueNow(known, now, 'the alias to be moved')
}

/** Reports whether a pause has been decided by a user or a timeout without the release having acted on it. */
export const isDecided = ({ progress: { hooks } }: LambdaState, now: Date): boolean =>
  hooks.some((hook) => hook.state === 'continuing' || (hook.state === 'waiting' && hasExpired(hook, now)))

const hasExpired = ({ expiresAt }: Pick<Hook, 'expiresAt'>, now: Date): boolean =>
  expiresAt !== undefined && Date.parse(expiresAt) <= now.getTime()

/** Continues the release if time, a user or a check has ended its pause or bake. */
export const proceed = (deployment: LambdaState, now: Date): LambdaState =>
  deployment.progress.step === 'pause' ? pauseProceeds(deployment, now) : bakeProceeds(deployment, now)

/** Opens the pauses of a stage; returns undefined if the module has none. */
function pauseAt(deployment: LambdaState, stage: FunctionPauseStage, now: Date): LambdaState | undefined {
  const wanted = deployment.release.strategy.pauseStages.filter((pause) => pause.stage === stage)
  if (wanted.length === 0) return undefined
  const opened = wanted.reduce((so, pause) => open(so, pause, now), deployment)
  return waitForDecision(goTo(holdDeadline(opened, now), 'pause', now), now)
}

function open(deployment: LambdaState, pause: PauseStage, now: Date): LambdaState {
  const { stage: lifecycleStage, timeoutInMinutes, timeoutAction } = pause
  const { hooks, shifts } = deployment.progress
  const hookId = `${deployment.id}-pause-${hooks.length + 1}`
  const expiresAt = later(now, timeoutInMinutes * 60_000).toISOString()
  const hook: Hook = { hookId, lifecycleStage, timeoutAction, expiresAt, state: 'waiting' }
  const then = timeoutAction === 'CONTINUE' ? 'continues automatically' : 'is rolled back'
  const message = `Paused at ${lifecycleStage} until ${expiresAt}, when the release ${then}.`
  const trafficPhase = trafficPhaseAfter(deployment.release.strategy, shifts)
  const noted = note(deployment, 'PAUSED', now, { hookId, lifecycleStage, trafficPhase, message })
  return { ...noted, progress: { ...noted.progress, hooks: [...hooks, hook] } }
}

function pauseProceeds(deployment: LambdaState, now: Date): LambdaState {
  const open = deployment.progress.hooks.filter(({ state }) => state !== 'answered')
  const decided = open.reduce((so, hook) => applyPauseDecision(so, hook, now), deployment)
  const { hooks } = decided.progress
  const turnedBack = hooks.find(({ answer, timeoutAction }) => answer === 'TIMED_OUT' && timeoutAction === 'ROLLBACK')
  if (turnedBack) {
    const error = pauseTimedOut(turnedBack.lifecycleStage)
    return rollBack({ ...decided, error }, error.message, now)
  }
  if (hooks.some(({ state }) => state === 'waiting')) return waitForDecision(decided, now)
  const going = holdDeadline(decided, now)
  const isLast = hooks.at(-1)?.lifecycleStage === 'POST_PRODUCTION_TRAFFIC_SHIFT'
  return isLast ? bake(going, now) : goTo(going, 'shift', now)
}

/** Applies the decision about a pause, by a user or a timeout. */
function applyPauseDecision(deployment: LambdaState, hook: Hook, now: Date): LambdaState {
  const { hookId, lifecycleStage } = hook
  const details = { hookId, ...(lifecycleStage ? { lifecycleStage } : {}) }
  if (hook.state === 'continuing') {
    const answered = answerHook(deployment, hookId, 'CONTINUE')
    return note(answered, 'CONTINUED', now, { ...details, message: continuedMessage(hook) })
  }
  if (!hasExpired(hook, now)) return deployment
  const answered = answerHook(deployment, hookId, 'TIMED_OUT')
  if (hook.timeoutAction === 'ROLLBACK') return answered
  const message = 'Continued because the time to decide was over.'
  return note(answered, 'CONTINUED', now, { ...details, message })
}

/** Waits until a user decides or the pause times out. */
function waitForDecision(deployment: LambdaState, now: Date): LambdaState {
  const waiting = deployment.progress.hooks.filter(({ state }) => state === 'waiting')
  const ends = waiting.map(({ expiresAt }) => Date.parse(expiresAt ?? ''))
  const ms = Math.max(0, Math.min(...ends) - now.getTime())
  return pollAfter(deployment, now, ms, `a person to continue the pause ${waiting[0]?.hookId}`)
}

/** Starts a bake with the current traffic share of the new version. */
function bake(deployment: LambdaState, now: Date): LambdaState {
  const { release, progress } = deployment
  const minutes = bakeMinutesAfter(release.strategy, progress.shifts)
  if (minutes === 0) return afterBake(deployment, now)
  const bakeUntil = later(now, minutes * 60_000).toISOString()
  const isLast = progress.shifts >= sharesOf(release.strategy).length
  const noted = isLast ? note(deployment, 'BAKE', now, { message: `Watched until ${bakeUntil}.` }) : deployment
  return bakeProceeds(goTo(noted, 'bake', now, { bakeUntil }), now)
}

function bakeProceeds(deployment: LambdaState, now: Date): LambdaState {
  const { bakeUntil, ...progress } = deployment.progress
  const leftMs = Date.parse(bakeUntil ?? '') - now.getTime()
  if (leftMs > 0) return pollAfter(deployment, now, leftMs, `the new version to be watched until ${bakeUntil}`)
  return afterBake({ ...deployment, progress }, now)
}

const afterBake = (deployment: LambdaState, now: Date): LambdaState =>
  deployment.progress.shifts < sharesOf(deployment.release.strategy).length
    ? pauseBeforeShift(deployment, now)
    : goTo(deployment, 'confirm', now)

/** Ends a release whose steps are done as successful, if the alias is unchanged. */
export function endIfUnchanged(deployment: LambdaState, alias: AliasState, pace: PollPace, now: Date): LambdaState {
  const { release, data } = deployment
  const version = versionOf(deployment)
  if (isMoving(deployment, alias)) {
    return pollLater(deployment, { pace, now, waitingFor: `the provisioned concurrency of version ${version}` })
  }
  if (!isSameRouting(alias, { version }))
    return failed(deployment, aliasChanged(release, aliasOf(deployment), alias), now)
  const done = { ...deployment, data: { ...data, aliasState: observedAliasData(alias, now) } }
  return release.keepReleases === undefined ? endSuccessful(done, now) : goTo(done, 'retain', now)
}

/** Ends a live release with its remaining events. */
export function endSuccessful(deployment: LambdaState, now: Date): LambdaState {
  const { progress, release } = deployment
  const message =
    progress.shifts > 0
      ? 'The new version is live.'
      : `Version ${versionOf(deployment)} was live already: no calls were shifted to another version.`
  return finish(reach(deployment, trackOf(release).length, now, { message }), 'SUCCESS', now)
}

/** Records that the alias has its previous routing again. */
export function onRestored(deployment: LambdaState, alias: AliasState, now: Date): LambdaState {
  const isReturning = isMovingTo(alias, routingBefore(deployment), versionOf(deployment))
  const message = isReturning
    ? `All calls go to version ${alias.version} again as soon as its provisioned concurrency is ready.`
    : `All calls go to ${describeRouting(alias)} again.`
  const done = { ...deployment, data: { ...deployment.data, aliasState: observedAliasData(alias, now) } }
  return finish(note(done, 'ROLLED_BACK', now, { message }), 'ROLLED_BACK', now)
}

/** Ends a rollback before any traffic went to the new version. */
export const endUnmoved = (deployment: LambdaState, now: Date): LambdaState =>
  finish(note(deployment, 'ROLLED_BACK', now, { message: 'The alias had not been moved yet.' }), 'ROLLED_BACK', now)

/** Records that the alias rejected the restoration because of its revision id; see `onShiftRejected`. */
export function onRestoreRejected(deployment: LambdaState, alias: AliasState, now: Date): LambdaState {
  const before = routingBefore(deployment)
  const isReturning = isMovingTo(alias, before, versionOf(deployment))
  if (isSameRouting(alias, before) || isReturning) return onRestored(deployment, alias, now)
  const ours = [aliasOf(deployment), nextRouting(deployment)]
  if (ours.some((routing) => isSameRouting(alias, routing))) return adopt(deployment, alias, now)
  return failed(deployment, aliasChanged(deployment.release, aliasOf(deployment), alias), now)
}
