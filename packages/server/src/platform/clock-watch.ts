import type { Logger } from 'pino'
import { isWithinLimit, maxClockOffsetMs, measureClockOffset } from './db/clock-offset.ts'
import type { Db } from './db/open.ts'
import { startRounds } from './rounds.ts'

/** Compares the clock of this machine with the database's, for as long as the process runs. */
export type ClockWatch = {
  /** Whether they agreed at the last measurement. */
  isRight(): boolean
  stop(): Promise<void>
}

type ClockWatchParts = {
  db: Db
  /** The clock of this machine. */
  now: () => Date
  onOffset: (offsetMs: number) => void
  /** Called when the clocks begin or cease to agree; the next measurement waits for its end. */
  onChange: (isRight: boolean) => Promise<void>
  log: Logger
}

/** How often the clocks are compared where nothing has happened to this one. Milliseconds. */
const measureEveryMs = 60_000
/** How often this clock is compared with the time since the process started, which nobody sets. Milliseconds. */
const lookEveryMs = 1_000
/** Somebody has set the clock if it moved by so much more or less than time has passed. Milliseconds. */
const jumpMs = 1_000

/** Starts with a measurement, which `onChange` is told of where the clocks do not agree. */
export async function startClockWatch(parts: ClockWatchParts): Promise<ClockWatch> {
  const { db, now, onOffset, onChange, log } = parts
  let isRight = true
  let measuredAt = Number.NEGATIVE_INFINITY
  /** When the process started, by this clock; another value each time that somebody sets it. */
  let startedAt = 0

  async function measure(): Promise<void> {
    const startedMs = now().getTime() - performance.now()
    const offset = await measureClockOffset(db, now)
    onOffset(offset.offsetMs)
    const isRightNow = isWithinLimit(offset) ?? isRight
    if (isRightNow !== isRight) await change(isRightNow, offset.offsetMs / 1_000)
    measuredAt = performance.now() // not where something failed: then the next look measures again
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
  const rounds = startRounds(look, { everyMs: lookEveryMs, onError })
  return { isRight: () => isRight, stop: () => rounds.stop() }
}

const tooFar =
  `the clock of this machine is more than ${maxClockOffsetMs / 1_000} s from the database's: a worker that shares an ` +
  'engine with others accepts no work until they agree. Let both machines take their time from NTP.'
