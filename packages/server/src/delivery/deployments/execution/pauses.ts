import type { AcceptedPauseControl, PauseLabel } from '@sluice/contract'
import { present } from '../../../platform/present.ts'
import type { Hook, HookAnswer } from './progress.ts'
import { continueNow, type DeploymentState, later } from './state.ts'

/** Result of a user's request to continue a pause. */
export type ContinueDecision<S extends DeploymentState = DeploymentState> =
  | { verdict: 'accepted'; deployment: S }
  /** The same decision was made before: nothing changes, so that a retry is safe. */
  | { verdict: 'repeated' }
  | { verdict: 'not-paused' }
  | { verdict: 'hook-not-pending'; pending: string[] }

/** User's request to continue one pause, or without `hookId` the one that has been waiting longest. */
export type ContinueRequest = {
  hookId: string | undefined
  /** Display name of the user. */
  by: string
}

const hooksThatWait = ({ status, progress }: DeploymentState): Hook[] =>
  progress.hooks.filter(({ state }) => status === 'IN_PROGRESS' && state === 'waiting')

/** Returns the ids of the pauses that wait for a decision. */
export const waitingHooks = (deployment: DeploymentState): string[] =>
  hooksThatWait(deployment).map(({ hookId }) => hookId)

/** Continues a pause on behalf of a user. */
export function continueAfterPause<S extends DeploymentState>(
  deployment: S,
  { hookId, by }: ContinueRequest,
  labelOf: (deployment: S, hook: Hook) => PauseLabel,
  now: Date,
): ContinueDecision<S> {
  const { hooks } = deployment.progress
  const isPaused = deployment.status === 'IN_PROGRESS'
  const waiting = hooksThatWait(deployment)
  const continuing = hooks.find((hook) => isPaused && hook.state === 'continuing')

  if (hookId === undefined) {
    const [first] = waiting
    if (first) return accept(deployment, { ...first, continuedBy: by }, labelOf(deployment, first), now)
    return continuing ? { verdict: 'repeated' } : { verdict: 'not-paused' }
  }
  const hook = hooks.find((one) => one.hookId === hookId)
  if (hook && wasContinuedHere(deployment, hook)) return { verdict: 'repeated' }
  if (hook && waiting.includes(hook))
    return accept(deployment, { ...hook, continuedBy: by }, labelOf(deployment, hook), now)
  if (waiting.length === 0 && !continuing) return { verdict: 'not-paused' }
  return { verdict: 'hook-not-pending', pending: waiting.map((one) => one.hookId) }
}

const wasContinuedHere = (deployment: DeploymentState, hook: Hook): boolean =>
  (hook.state === 'continuing' && deployment.status === 'IN_PROGRESS') ||
  (hook.state === 'answered' && hook.answer === 'CONTINUE')

function accept<S extends DeploymentState>(
  deployment: S,
  hook: Hook,
  label: PauseLabel,
  now: Date,
): ContinueDecision<S> {
  const hooks = deployment.progress.hooks.map(
    (one): Hook => (one.hookId === hook.hookId ? { ...hook, state: 'continuing' } : one),
  )
  const decided = {
    ...deployment,
    data: { ...deployment.data, acceptedPauseControl: controlOf(deployment, hook, label, now) },
    progress: { ...deployment.progress, hooks },
  }
  return {
    verdict: 'accepted',
    deployment: continueNow(decided, now, `the cloud to continue the pause ${hook.hookId}`),
  }
}

function controlOf({ data }: DeploymentState, hook: Hook, labelKind: PauseLabel, now: Date): AcceptedPauseControl {
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

/** Returns the message of the event for a continued pause, with the name of the user. */
export const continuedMessage = ({ continuedBy }: Hook): string =>
  continuedBy === undefined ? 'Continued.' : `Continued by ${continuedBy}.`

/** Records how a pause ended. */
export function answerHook<S extends DeploymentState>(deployment: S, hookId: string, answer: HookAnswer): S {
  const hooks = deployment.progress.hooks.map(
    (hook): Hook => (hook.hookId === hookId ? { ...hook, state: 'answered', answer } : hook),
  )
  return { ...deployment, progress: { ...deployment.progress, hooks } }
}

/** Minutes by which the deadline of the deployment exceeds the end of a pause or bake, so that the cloud acts first. */
const pauseGraceMinutes = 15

/**
 * Stops the deployment timeout while the release is paused, or while the cloud watches alarms until `watchedUntil` at
 * the latest. The pause or bake has its own end.
 */
export function holdDeadline<S extends DeploymentState>(deployment: S, now: Date, watchedUntil?: Date): S {
  if (deployment.status !== 'IN_PROGRESS' || !deployment.deadlineAt) return deployment
  const pending = deployment.progress.hooks.filter((hook) => hook.state !== 'answered')
  const { remainingMs, ...progress } = deployment.progress
  if (pending.length === 0 && !watchedUntil) {
    if (remainingMs === undefined) return deployment
    return { ...deployment, progress, deadlineAt: later(now, remainingMs) }
  }
  const left = remainingMs ?? deployment.deadlineAt.getTime() - now.getTime()
  // A hook without an end lasts as long as the cloud allows: 14 days.
  const ends = pending.map(({ expiresAt }) => (expiresAt ? Date.parse(expiresAt) : now.getTime() + 14 * 86_400_000))
  if (watchedUntil) ends.push(watchedUntil.getTime())
  const deadlineAt = new Date(Math.max(...ends) + pauseGraceMinutes * 60_000)
  return { ...deployment, progress: { ...progress, remainingMs: left }, deadlineAt }
}
