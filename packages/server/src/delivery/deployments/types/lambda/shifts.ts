import type { FunctionPauseStage } from '@sluice/contract'
import {
  type AliasState,
  isMovingTo,
  isSameRouting,
  percent,
  type Routing,
  routingInWords,
} from '../../../../cloud/facts/lambda.ts'
import type { PauseStage } from '../../../../cloud/facts/pause-stage.ts'
import { answerHook, continuedMessage, holdDeadline } from '../../execution/pauses.ts'
import type { Hook } from '../../execution/progress.ts'
import { finish, goOn, later, type PollPace, wait } from '../../execution/state.ts'
import { goTo, lookAgain } from '../../execution/transitions.ts'
import { aliasChanged, pauseTimedOut } from './failures.ts'
import type { LambdaStanding } from './state.ts'
import { bakeMinutesAfter, failed, note, reach, sharesOf, stepOfShift, trackOf, trafficPhaseAfter } from './track.ts'
import { rollBack, seen } from './transitions.ts'

/**
 * Returns the version of the release.
 * @throws if it is not published yet, which is a defect
 */
export function versionOf({ id, data }: LambdaStanding): string {
  if (data.version === undefined) throw new Error(`deployment ${id} has no version`)
  return data.version
}

/**
 * Returns the alias as last observed.
 * @throws before the first poll, which is a defect
 */
export function aliasOf({ id, data }: LambdaStanding): AliasState {
  if (data.aliasState === undefined) throw new Error(`deployment ${id} has not looked at its alias`)
  return data.aliasState
}

/** Returns the routing of the alias before the release. */
export function routingBefore({ id, progress }: LambdaStanding): Routing {
  if (progress.before === undefined) throw new Error(`deployment ${id} does not know what its alias did before`)
  return progress.before
}

/** Returns the routing after the next shift. */
export function nextRouting(standing: LambdaStanding): Routing {
  const share = sharesOf(standing.release.strategy)[standing.progress.shifts] ?? 100
  const [version, before] = [versionOf(standing), routingBefore(standing).version]
  if (share >= 100 || before === version) return { version }
  return { version: before, additionalVersion: version, additionalWeight: share / 100 }
}

/**
 * Opens the pauses before a shift, or starts the shift if there are none. No shift is left when all traffic goes to the
 * version.
 */
export function approachShift(standing: LambdaStanding, now: Date): LambdaStanding {
  if (isSameRouting(aliasOf(standing), { version: versionOf(standing) })) return goTo(standing, 'confirm', now)
  return pauseAt(standing, 'PRE_PRODUCTION_TRAFFIC_SHIFT', now) ?? goTo(standing, 'shift', now)
}

/** Reports whether the alias accepted the last shift while its provisioned concurrency is still following. */
const isMoving = (standing: LambdaStanding, alias: AliasState): boolean =>
  isMovingTo(alias, { version: versionOf(standing) }, routingBefore(standing).version)

/** Records that the alias accepted the shift. */
export function shifted(standing: LambdaStanding, alias: AliasState, now: Date): LambdaStanding {
  const { release, progress, data } = standing
  const shifts = progress.shifts + 1
  const share = sharesOf(release.strategy)[shifts - 1] ?? 100
  const done = { ...standing, data: { ...data, aliasState: seen(alias, now) }, progress: { ...progress, shifts } }
  const message = isMoving(standing, alias)
    ? `All calls go to version ${versionOf(standing)} as soon as its provisioned concurrency is ready.`
    : `${percent(share / 100)} % of the calls go to version ${versionOf(standing)}.`
  const trafficPhase = trafficPhaseAfter(release.strategy, shifts)
  const noted = reach(done, stepOfShift(release, shifts), now, { message, trafficPhase })
  if (shifts < sharesOf(release.strategy).length) return bake(noted, now)
  return pauseAt(noted, 'POST_PRODUCTION_TRAFFIC_SHIFT', now) ?? bake(noted, now)
}

/**
 * Records that the alias rejected the shift because of its revision id. Either an earlier attempt arrived, or another
 * actor changed the alias, with or without moving it.
 */
export function aliasFound(standing: LambdaStanding, alias: AliasState, now: Date): LambdaStanding {
  const next = nextRouting(standing)
  const isLast = next.additionalVersion === undefined
  if (isSameRouting(alias, next) || (isLast && isMoving(standing, alias))) return shifted(standing, alias, now)
  if (isSameRouting(alias, aliasOf(standing))) return adopt(standing, alias, now)
  return failed(standing, aliasChanged(standing.release, aliasOf(standing), alias), now)
}

/** Uses the new revision id for the next attempt, because the routing is unchanged. */
function adopt(standing: LambdaStanding, alias: AliasState, now: Date): LambdaStanding {
  const known = { ...standing, data: { ...standing.data, aliasState: seen(alias, now) } }
  return goOn(known, now, 'the alias to be moved')
}

/** Reports whether a pause has been decided by a user or a timeout without the release having acted on it. */
export const isDecided = ({ progress: { hooks } }: LambdaStanding, now: Date): boolean =>
  hooks.some((hook) => hook.state === 'continuing' || (hook.state === 'waiting' && hasExpired(hook, now)))

const hasExpired = ({ expiresAt }: Pick<Hook, 'expiresAt'>, now: Date): boolean =>
  expiresAt !== undefined && Date.parse(expiresAt) <= now.getTime()

/** Continues the release if time, a user or a check has ended its pause or bake. */
export const proceeded = (standing: LambdaStanding, now: Date): LambdaStanding =>
  standing.progress.step === 'pause' ? pauseProceeds(standing, now) : bakeProceeds(standing, now)

/** Opens the pauses of a stage; returns undefined if the module has none. */
function pauseAt(standing: LambdaStanding, stage: FunctionPauseStage, now: Date): LambdaStanding | undefined {
  const wanted = standing.release.strategy.pauseStages.filter((pause) => pause.stage === stage)
  if (wanted.length === 0) return undefined
  const opened = wanted.reduce((so, pause) => open(so, pause, now), standing)
  return waitForPeople(goTo(holdDeadline(opened, now), 'pause', now), now)
}

function open(standing: LambdaStanding, pause: PauseStage, now: Date): LambdaStanding {
  const { stage: lifecycleStage, timeoutInMinutes, timeoutAction } = pause
  const { hooks, shifts } = standing.progress
  const hookId = `${standing.id}-pause-${hooks.length + 1}`
  const expiresAt = later(now, timeoutInMinutes * 60_000).toISOString()
  const hook: Hook = { hookId, lifecycleStage, timeoutAction, expiresAt, state: 'waiting' }
  const then = timeoutAction === 'CONTINUE' ? 'continues by itself' : 'is rolled back'
  const message = `Paused at ${lifecycleStage} until ${expiresAt}, when the release ${then}.`
  const trafficPhase = trafficPhaseAfter(standing.release.strategy, shifts)
  const noted = note(standing, 'PAUSED', now, { hookId, lifecycleStage, trafficPhase, message })
  return { ...noted, progress: { ...noted.progress, hooks: [...hooks, hook] } }
}

function pauseProceeds(standing: LambdaStanding, now: Date): LambdaStanding {
  const open = standing.progress.hooks.filter(({ state }) => state !== 'answered')
  const decided = open.reduce((so, hook) => takeIn(so, hook, now), standing)
  const { hooks } = decided.progress
  const turnedBack = hooks.find(({ answer, timeoutAction }) => answer === 'TIMED_OUT' && timeoutAction === 'ROLLBACK')
  if (turnedBack) {
    const error = pauseTimedOut(turnedBack.lifecycleStage)
    return rollBack({ ...decided, error }, error.message, now)
  }
  if (hooks.some(({ state }) => state === 'waiting')) return waitForPeople(decided, now)
  const going = holdDeadline(decided, now)
  const isLast = hooks.at(-1)?.lifecycleStage === 'POST_PRODUCTION_TRAFFIC_SHIFT'
  return isLast ? bake(going, now) : goTo(going, 'shift', now)
}

/** Applies the decision about a pause, by a user or a timeout. */
function takeIn(standing: LambdaStanding, hook: Hook, now: Date): LambdaStanding {
  const { hookId, lifecycleStage } = hook
  const details = { hookId, ...(lifecycleStage ? { lifecycleStage } : {}) }
  if (hook.state === 'continuing') {
    const answered = answerHook(standing, hookId, 'CONTINUE')
    return note(answered, 'CONTINUED', now, { ...details, message: continuedMessage(hook) })
  }
  if (!hasExpired(hook, now)) return standing
  const answered = answerHook(standing, hookId, 'TIMED_OUT')
  if (hook.timeoutAction === 'ROLLBACK') return answered
  const message = 'Continued because the time to decide was over.'
  return note(answered, 'CONTINUED', now, { ...details, message })
}

/** Waits until a user decides or the pause times out. */
function waitForPeople(standing: LambdaStanding, now: Date): LambdaStanding {
  const waiting = standing.progress.hooks.filter(({ state }) => state === 'waiting')
  const ends = waiting.map(({ expiresAt }) => Date.parse(expiresAt ?? ''))
  const ms = Math.max(0, Math.min(...ends) - now.getTime())
  return wait(standing, now, ms, `a person to continue the pause ${waiting[0]?.hookId}`)
}

/** Starts a bake with the current traffic share of the new version. */
function bake(standing: LambdaStanding, now: Date): LambdaStanding {
  const { release, progress } = standing
  const minutes = bakeMinutesAfter(release.strategy, progress.shifts)
  if (minutes === 0) return afterBake(standing, now)
  const bakeUntil = later(now, minutes * 60_000).toISOString()
  const isLast = progress.shifts >= sharesOf(release.strategy).length
  const noted = isLast ? note(standing, 'BAKE', now, { message: `Watched until ${bakeUntil}.` }) : standing
  return bakeProceeds(goTo(noted, 'bake', now, { bakeUntil }), now)
}

function bakeProceeds(standing: LambdaStanding, now: Date): LambdaStanding {
  const { bakeUntil, ...progress } = standing.progress
  const leftMs = Date.parse(bakeUntil ?? '') - now.getTime()
  if (leftMs > 0) return wait(standing, now, leftMs, `the new version to be watched until ${bakeUntil}`)
  return afterBake({ ...standing, progress }, now)
}

const afterBake = (standing: LambdaStanding, now: Date): LambdaStanding =>
  standing.progress.shifts < sharesOf(standing.release.strategy).length
    ? approachShift(standing, now)
    : goTo(standing, 'confirm', now)

/** Ends a release whose steps are done as successful, if the alias is unchanged. */
export function confirmed(standing: LambdaStanding, alias: AliasState, pace: PollPace, now: Date): LambdaStanding {
  const { release, data } = standing
  const version = versionOf(standing)
  if (isMoving(standing, alias)) {
    return lookAgain(standing, { pace, now, waitingFor: `the provisioned concurrency of version ${version}` })
  }
  if (!isSameRouting(alias, { version })) return failed(standing, aliasChanged(release, aliasOf(standing), alias), now)
  const done = { ...standing, data: { ...data, aliasState: seen(alias, now) } }
  return release.keepReleases === undefined ? succeeded(done, now) : goTo(done, 'retain', now)
}

/** Ends a live release with its remaining events. */
export function succeeded(standing: LambdaStanding, now: Date): LambdaStanding {
  const { progress, release } = standing
  const message =
    progress.shifts > 0
      ? 'The new version is live.'
      : `Version ${versionOf(standing)} was live already: no calls were shifted to another version.`
  return finish(reach(standing, trackOf(release).length, now, { message }), 'SUCCESS', now)
}

/** Records that the alias has its previous routing again. */
export function restored(standing: LambdaStanding, alias: AliasState, now: Date): LambdaStanding {
  const isReturning = isMovingTo(alias, routingBefore(standing), versionOf(standing))
  const message = isReturning
    ? `All calls go to version ${alias.version} again as soon as its provisioned concurrency is ready.`
    : `All calls go to ${routingInWords(alias)} again.`
  const done = { ...standing, data: { ...standing.data, aliasState: seen(alias, now) } }
  return finish(note(done, 'ROLLED_BACK', now, { message }), 'ROLLED_BACK', now)
}

/** Ends a rollback before any traffic went to the new version. */
export const neverMoved = (standing: LambdaStanding, now: Date): LambdaStanding =>
  finish(note(standing, 'ROLLED_BACK', now, { message: 'The alias had not been moved yet.' }), 'ROLLED_BACK', now)

/** Records that the alias rejected the restoration because of its revision id; see `aliasFound`. */
export function aliasFoundAtRestore(standing: LambdaStanding, alias: AliasState, now: Date): LambdaStanding {
  const before = routingBefore(standing)
  const isReturning = isMovingTo(alias, before, versionOf(standing))
  if (isSameRouting(alias, before) || isReturning) return restored(standing, alias, now)
  const ours = [aliasOf(standing), nextRouting(standing)]
  if (ours.some((routing) => isSameRouting(alias, routing))) return adopt(standing, alias, now)
  return failed(standing, aliasChanged(standing.release, aliasOf(standing), alias), now)
}
