import type { AcceptedPauseControl, PauseLabel } from '@sluice/contract'
import { present } from '../../../platform/present.ts'
import type { Hook, HookAnswer } from './progress.ts'
import { goOn, later, type Standing } from './state.ts'

/** What a person's wish to continue a pause comes to. */
export type ContinueDecision<S extends Standing = Standing> =
  | { verdict: 'accepted'; standing: S }
  /** The same decision was taken before: nothing changes, and a retry is safe. */
  | { verdict: 'repeated' }
  | { verdict: 'not-paused' }
  | { verdict: 'hook-not-pending'; pending: string[] }

/** Somebody's wish to go on: from one pause, or without `hookId` from the one that has waited longest. */
export type ContinueWish = {
  hookId: string | undefined
  /** Who, for people. */
  by: string
}

const hooksThatWait = ({ status, progress }: Standing): Hook[] =>
  progress.hooks.filter(({ state }) => status === 'IN_PROGRESS' && state === 'waiting')

/** The pauses in which it waits for somebody. */
export const waitingHooks = (standing: Standing): string[] => hooksThatWait(standing).map(({ hookId }) => hookId)

/** Somebody continues a pause. */
export function continuePause<S extends Standing>(
  standing: S,
  { hookId, by }: ContinueWish,
  labelOf: (standing: S, hook: Hook) => PauseLabel,
  now: Date,
): ContinueDecision<S> {
  const { hooks } = standing.progress
  const isPaused = standing.status === 'IN_PROGRESS'
  const waiting = hooksThatWait(standing)
  const continuing = hooks.find((hook) => isPaused && hook.state === 'continuing')

  if (hookId === undefined) {
    const [first] = waiting
    if (first) return accept(standing, { ...first, continuedBy: by }, labelOf(standing, first), now)
    return continuing ? { verdict: 'repeated' } : { verdict: 'not-paused' }
  }
  const hook = hooks.find((one) => one.hookId === hookId)
  if (hook && wasContinuedHere(standing, hook)) return { verdict: 'repeated' }
  if (hook && waiting.includes(hook))
    return accept(standing, { ...hook, continuedBy: by }, labelOf(standing, hook), now)
  if (waiting.length === 0 && !continuing) return { verdict: 'not-paused' }
  return { verdict: 'hook-not-pending', pending: waiting.map((one) => one.hookId) }
}

const wasContinuedHere = (standing: Standing, hook: Hook): boolean =>
  (hook.state === 'continuing' && standing.status === 'IN_PROGRESS') ||
  (hook.state === 'answered' && hook.answer === 'CONTINUE')

function accept<S extends Standing>(standing: S, hook: Hook, label: PauseLabel, now: Date): ContinueDecision<S> {
  const hooks = standing.progress.hooks.map(
    (one): Hook => (one.hookId === hook.hookId ? { ...hook, state: 'continuing' } : one),
  )
  const decided = {
    ...standing,
    data: { ...standing.data, acceptedPauseControl: controlOf(standing, hook, label, now) },
    progress: { ...standing.progress, hooks },
  }
  return { verdict: 'accepted', standing: goOn(decided, now, `the cloud to continue the pause ${hook.hookId}`) }
}

function controlOf({ data }: Standing, hook: Hook, labelKind: PauseLabel, now: Date): AcceptedPauseControl {
  const paused = data.events?.find((event) => event.stepCode === 'PAUSED' && event.hookId === hook.hookId)
  return present({
    acceptedAt: now.toISOString(),
    action: 'CONTINUE' as const,
    hookId: hook.hookId,
    labelKind,
    lifecycleStage: hook.lifecycleStage,
    eventStartedAt: paused?.startedAt,
  })
}

/** What the event of a pause that was continued here says: who let it go on. */
export const continuedMessage = ({ continuedBy }: Hook): string =>
  continuedBy === undefined ? 'Continued.' : `Continued by ${continuedBy}.`

/** The pause has ended, one way or another. */
export function answerHook<S extends Standing>(standing: S, hookId: string, answer: HookAnswer): S {
  const hooks = standing.progress.hooks.map(
    (hook): Hook => (hook.hookId === hookId ? { ...hook, state: 'answered', answer } : hook),
  )
  return { ...standing, progress: { ...standing.progress, hooks } }
}

/** Minutes that a pause or a watch may outlast its end before the deployment expires: the cloud acts on it first. */
const pauseGraceMinutes = 15

/**
 * Stops the working time while it is paused, or while the cloud watches alarms until `watchedUntil` at the latest; the
 * pause or the watch itself ends the waiting.
 */
export function holdDeadline<S extends Standing>(standing: S, now: Date, watchedUntil?: Date): S {
  if (standing.status !== 'IN_PROGRESS' || !standing.deadlineAt) return standing
  const pending = standing.progress.hooks.filter((hook) => hook.state !== 'answered')
  const { remainingMs, ...progress } = standing.progress
  if (pending.length === 0 && !watchedUntil) {
    if (remainingMs === undefined) return standing
    return { ...standing, progress, deadlineAt: later(now, remainingMs) }
  }
  const left = remainingMs ?? standing.deadlineAt.getTime() - now.getTime()
  // A hook without a stated end gets the longest the cloud grants: 14 days.
  const ends = pending.map(({ expiresAt }) => (expiresAt ? Date.parse(expiresAt) : now.getTime() + 14 * 86_400_000))
  if (watchedUntil) ends.push(watchedUntil.getTime())
  const deadlineAt = new Date(Math.max(...ends) + pauseGraceMinutes * 60_000)
  return { ...standing, progress: { ...progress, remainingMs: left }, deadlineAt }
}
