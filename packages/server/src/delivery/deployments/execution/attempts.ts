import { present } from '../../../platform/present.ts'
import { type PollPace, type Standing, wait } from './state.ts'

/** The attempt at the present step begins; after a crash the next one knows that it is not the first. */
export const attempted = <S extends Standing>(standing: S, now: Date): S => ({
  ...standing,
  progress: { ...standing.progress, attempt: standing.progress.attempt + 1, attemptedAt: now.toISOString() },
})

/** The cloud answered the attempt: a request may be on its way only from one `before` it, whose answer was lost. */
export function answered<S extends Standing>(standing: S, before: S): S {
  const { attemptedAt: _, ...progress } = standing.progress
  const { attempt, attemptedAt } = before.progress // without an attempt, the time is that of an earlier step
  return { ...standing, progress: { ...progress, ...(attempt > 0 && present({ attemptedAt })) } }
}

/**
 * How long after its attempt was written down a request may still be on its way: 15 s until it is sent at the latest
 * (`freshMs` of the handlers), 10 s until it is given up (`requestTimeout` of the cloud's clients), and 5 s in the
 * cloud itself. Milliseconds.
 */
export const onItsWayMs = 30_000

/** Milliseconds until it is certain that a request of the last attempt is not on its way any more; 0: it is. */
export function onItsWayLeftMs({ progress: { attemptedAt } }: Standing, now: Date): number {
  return attemptedAt === undefined ? 0 : Math.max(0, Date.parse(attemptedAt) + onItsWayMs - now.getTime())
}

/**
 * How many refusals in a row are borne where the cloud may have been changed already: with the back-off, about three
 * minutes in which a right that was taken away by mistake may come back.
 */
export const patience = 25

/**
 * The longest back-off from a cloud in trouble: long enough to let throttles pass, short enough to go on soon after.
 */
const longestTroubleMs = 10_000

/** The cloud is busy or out of reach: try again, later each time. The deadline ends it. */
export function troubled<S extends Standing>(standing: S, reason: string, pace: PollPace, now: Date): S {
  const troubles = standing.progress.troubles + 1
  const again = { ...standing, progress: { ...standing.progress, troubles } }
  const ms = jitter(standing.id, troubles) * backOff(pace.minMs, longestTroubleMs, troubles)
  return wait(again, now, ms, `the cloud to answer: ${reason}`)
}

/** Doubles from `firstMs` to `mostMs`. */
export const backOff = (firstMs: number, mostMs: number, times: number): number =>
  Math.min(mostMs, firstMs * 2 ** Math.min(times - 1, 20))

/**
 * Between 0.5 and 1, spread by deployment and attempt, so that those who were throttled together do not return
 * together.
 */
function jitter(id: string, attempt: number): number {
  let hash = attempt
  for (const char of id) hash = (hash * 31 + char.charCodeAt(0)) >>> 0
  return 0.5 + (hash % 1000) / 2000
}
