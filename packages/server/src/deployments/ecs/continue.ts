import type { AcceptedPauseControl } from '@sluice/contract'
import { present } from '../../platform/present.ts'
import type { Hook } from '../progress.ts'
import type { Standing } from '../standing.ts'
import { goOn } from './machine.ts'
import { labelOf } from './track.ts'

export type ContinueDecision =
  | { verdict: 'accepted'; standing: Standing }
  /** The same decision was taken before: nothing changes, and a retry is safe. */
  | { verdict: 'repeated' }
  | { verdict: 'not-paused' }
  | { verdict: 'hook-not-pending'; pending: string[] }

/** A person continues the pause `hookId`, or the one that has waited longest. */
export function continuePause(standing: Standing, hookId: string | undefined, now: Date): ContinueDecision {
  const { hooks } = standing.progress
  const isPaused = standing.status === 'IN_PROGRESS'
  const waiting = hooks.filter((hook) => isPaused && hook.state === 'waiting')
  const continuing = hooks.find((hook) => isPaused && hook.state === 'continuing')

  if (hookId === undefined) {
    const [first] = waiting
    if (first) return accept(standing, first, now)
    return continuing ? { verdict: 'repeated' } : { verdict: 'not-paused' }
  }
  const hook = hooks.find((one) => one.hookId === hookId)
  if (hook && wasContinuedHere(standing, hook)) return { verdict: 'repeated' }
  if (hook && waiting.includes(hook)) return accept(standing, hook, now)
  if (waiting.length === 0 && !continuing) return { verdict: 'not-paused' }
  return { verdict: 'hook-not-pending', pending: waiting.map((one) => one.hookId) }
}

const wasContinuedHere = (standing: Standing, hook: Hook): boolean =>
  (hook.state === 'continuing' && standing.status === 'IN_PROGRESS') ||
  (hook.state === 'answered' && hook.answer === 'CONTINUE')

function accept(standing: Standing, hook: Hook, now: Date): ContinueDecision {
  const hooks = standing.progress.hooks.map(
    (one): Hook => (one.hookId === hook.hookId ? { ...one, state: 'continuing' } : one),
  )
  const decided = {
    ...standing,
    data: { ...standing.data, acceptedPauseControl: controlOf(standing, hook, now) },
    progress: { ...standing.progress, hooks },
  }
  return { verdict: 'accepted', standing: goOn(decided, now, `the cloud to continue the pause ${hook.hookId}`) }
}

function controlOf({ data }: Standing, hook: Hook, now: Date): AcceptedPauseControl {
  const weight = data.serviceDeploymentState?.targetServiceRevision?.requestedProductionTrafficWeight ?? 0
  const paused = data.events?.find((event) => event.stepCode === 'PAUSED' && event.hookId === hook.hookId)
  return present({
    acceptedAt: now.toISOString(),
    action: 'CONTINUE' as const,
    hookId: hook.hookId,
    labelKind: labelOf(hook.lifecycleStage, weight),
    lifecycleStage: hook.lifecycleStage,
    eventStartedAt: paused?.startedAt,
  })
}
