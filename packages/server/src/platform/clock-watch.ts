import type { Logger } from 'pino'
import { isWithinLimit, maxClockOffsetMs, measureClockOffset } from './db/clock-offset.ts'
import type { Db } from './db/open.ts'
import { startPeriodicTask } from './rounds.ts'

/** Comparison of the local clock with the database's while the process runs. */
export type ClockWatch = {
  /** Reports whether the local clock and that of the database agreed at the last measurement. */
  isRight(): boolean
  stop(): Promise<void>
}

type ClockWatchParts = {
  db: Db
  now: () => Date
  onOffset: (offsetMs: number) => void
  /** Called when the local clock and that of the database start or stop agreeing. The next measurement waits for it. */
  onChange: (isRight: boolean) => Promise<void>
  log: Logger
}

/** Interval in milliseconds of measurements against the clock of the database. */
const measureEveryMs = 60_000
/** Interval in milliseconds of comparisons of the local clock with the monotonic time of the process. */
const lookEveryMs = 1_000
/** Difference in milliseconds from the monotonic time that indicates a changed clock. */
const jumpMs = 1_000

/**
 * Starts comparing the local clock with the database's, after a first measurement. Calls `onChange` if they disagree.
 */
export async function startClockWatch(parts: ClockWatchParts): Promise<ClockWatch> {
  const { db, now, onOffset, onChange, log } = parts
  let isRight = true
  let measuredAt = Number.NEGATIVE_INFINITY
  /** Start time of the process by the local clock, which changes when the clock is set. */
  let startedAt = 0

  async function measure(): Promise<void> {
    const startedMs = now().getTime() - performance.now()
    const offset = await measureClockOffset(db, now)
    onOffset(offset.offsetMs)
    const isRightNow = isWithinLimit(offset) ?? isRight
    if (isRightNow !== isRight) await change(isRightNow, offset.offsetMs / 1_000)
    measuredAt = performance.now() // not after an error, so that the next check measures again
    startedAt = startedMs
  }

  async function change(isRightNow: boolean, offsetSeconds: number): Promise<void> {
    if (isRightNow) log.info({ offsetSeconds }, "the clock of this machine agrees with the database's again")
    else log.error({ offsetSeconds }, tooFar)
    if (!isRightNow) isRight = false
    await onChange(isRightNow)
    isRight = isRightNow
  }

  async function look(): Promise<void> {
    const sinceMs = performance.now() - measuredAt
    const movedMs = Math.abs(now().getTime() - performance.now() - startedAt)
    if (sinceMs >= measureEveryMs || movedMs > jumpMs) await measure()
  }

  await measure()
  const onError = (err: unknown) => log.warn({ err }, "the clock could not be compared with the database's; soon again")
  const rounds = startPeriodicTask(look, { everyMs: lookEveryMs, onError })
  return { isRight: () => isRight, stop: () => rounds.stop() }
}

const tooFar =
  `the clock of this machine is more than ${maxClockOffsetMs / 1_000} s from the database's: a worker that shares an ` +
  'engine with others accepts no work until they agree. Let both machines take their time from NTP.'
