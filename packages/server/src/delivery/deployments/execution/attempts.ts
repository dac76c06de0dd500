import { present } from '../../../platform/present.ts'
import { type DeploymentState, type PollPace, pollAfter } from './state.ts'

/** Records an attempt at the current step, so that a second attempt after a crash knows about the first. */
export const recordAttempt = <S extends DeploymentState>(deployment: S, now: Date): S => ({
  ...deployment,
  progress: { ...deployment.progress, attempt: deployment.progress.attempt + 1, attemptedAt: now.toISOString() },
})

/**
 * Records that the cloud answered the attempt. Afterwards, only a request from `before` it, whose answer was lost, can
 * still be in flight.
 */
export function recordAnswer<S extends DeploymentState>(deployment: S, before: S): S {
  const { attemptedAt: _, ...progress } = deployment.progress
  const { attempt, attemptedAt } = before.progress // without an attempt, the time belongs to an earlier step
  return { ...deployment, progress: { ...progress, ...(attempt > 0 && present({ attemptedAt })) } }
}

/**
 * Maximum time after the recorded start of an attempt during which its request can be in flight, in milliseconds: 15 s
 * until it is sent (`maxRowAgeMs` of `outcome.ts`), 10 s until its timeout (`requestTimeout` of the cloud's clients),
 * 5 s in the cloud.
 */
export const maxInFlightMs = 30_000

/**
 * Returns the milliseconds until the request of the last attempt cannot be in flight any more; 0 if it cannot be now.
 */
export function inFlightLeftMs({ progress: { attemptedAt } }: DeploymentState, now: Date): number {
  return attemptedAt === undefined ? 0 : Math.max(0, Date.parse(attemptedAt) + maxInFlightMs - now.getTime())
}

/**
 * Maximum number of consecutive permanent errors if the cloud may have been changed already. With the back-off, this
 * leaves about three minutes to restore a permission that was removed by mistake.
 */
export const maxRejections = 25

/**
 * Maximum back-off after transient errors of the cloud, in milliseconds: long enough for throttling to end, short
 * enough to continue soon after.
 */
const maxTransientBackOffMs = 10_000

/**
 * Schedules a retry after a transient error of the cloud, with a growing delay. The deployment's deadline ends the
 * retries.
 */
export function retryLater<S extends DeploymentState>(deployment: S, reason: string, pace: PollPace, now: Date): S {
  const troubles = deployment.progress.troubles + 1
  const again = { ...deployment, progress: { ...deployment.progress, troubles } }
  const ms = jitter(deployment.id, troubles) * backOff(pace.minMs, maxTransientBackOffMs, troubles)
  return pollAfter(again, now, ms, `the cloud to answer: ${reason}`)
}

/** Returns a delay that doubles from `firstMs` up to `mostMs`. */
export const backOff = (firstMs: number, mostMs: number, times: number): number =>
  Math.min(mostMs, firstMs * 2 ** Math.min(times - 1, 20))

/**
 * Returns a factor between 0.5 and 1 that depends on deployment and attempt, so that deployments that were throttled
 * together do not retry together.
 */
function jitter(id: string, attempt: number): number {
  let hash = attempt
  for (const char of id) hash = (hash * 31 + char.charCodeAt(0)) >>> 0
  return 0.5 + (hash % 1000) / 2000
}
