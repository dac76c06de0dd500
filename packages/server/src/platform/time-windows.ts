import type { FreezeWindow } from '@sluice/contract'
import { Cron } from 'croner'

/** Period from `from` (inclusive) until `until` (exclusive). */
export type Period = { from: Date; until: Date }

/** Returns the current period of a window, otherwise the next one; undefined if there are no more. */
export function periodAt(window: FreezeWindow | ByClock, now: Date): Period | undefined {
  if ('from' in window) {
    const period = { from: new Date(window.from), until: new Date(window.until) }
    return period.from < period.until && now < period.until ? period : undefined
  }
  const cron = cronOf(window)
  // `previousRuns` excludes its argument: 1 ms later includes a period that starts now.
  const [last] = cron.previousRuns(1, new Date(now.getTime() + 1))
  if (last && last <= now && now < endOf(last, window)) return { from: last, until: endOf(last, window) }
  const next = cron.nextRun(now)
  return next ? { from: next, until: endOf(next, window) } : undefined
}

export const isActiveAt = ({ from, until }: Period, now: Date): boolean => from <= now && now < until

type Recurring = Extract<FreezeWindow, { cron: string }>

/** Recurring window whose end is a second cron expression, such as a night. */
export type ByClock = Pick<Recurring, 'cron' | 'timeZone'> & { untilCron: string }

const cronOf = ({ cron, timeZone }: Pick<Recurring, 'cron' | 'timeZone'>) =>
  new Cron(cron, { mode: '5-part', timezone: timeZone })

const dayMinutes = 1440

/**
 * Returns the end of a period. A window of a day or longer ends at the same local time despite a daylight saving
 * change; a shorter one lasts exactly its minutes.
 */
function endOf(from: Date, window: Recurring | ByClock): Date {
  if ('untilCron' in window) return nextOf({ ...window, cron: window.untilCron }, from)
  const { minutes, timeZone } = window
  const end = new Date(from.getTime() + minutes * 60_000)
  if (minutes < dayMinutes) return end
  return new Date(end.getTime() + offsetMs(from, timeZone) - offsetMs(end, timeZone))
}

/** Returns the next time of a cron expression in its time zone. Throws if there is none. */
export function nextOf(recurrence: Pick<Recurring, 'cron' | 'timeZone'>, after: Date): Date {
  const next = cronOf(recurrence).nextRun(after)
  if (!next) throw new Error(`${recurrence.cron} never comes`)
  return next
}

function offsetMs(at: Date, timeZone: string): number {
  const local = Date.parse(`${at.toLocaleString('sv', { timeZone }).replace(' ', 'T')}Z`)
  return local - Math.floor(at.getTime() / 1000) * 1000
}

/** Returns the validation errors of a window; `place` is its path in the body. */
export function windowFaults(window: FreezeWindow, place: string): string[] {
  if ('from' in window) {
    const isForward = Date.parse(window.from) < Date.parse(window.until)
    return isForward ? [] : [`${place}.until: expected a time after ${window.from}`]
  }
  return [...zoneFaults(window.timeZone, `${place}.timeZone`), ...cronFaults(window, `${place}.cron`)]
}

function cronFaults({ cron }: Recurring, path: string): string[] {
  try {
    const next = new Cron(cron, { mode: '5-part', timezone: 'UTC' }).nextRun(new Date(0))
    return next ? [] : [`${path}: expected a time that comes, this one never does`]
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/^CronPattern: /, '') : String(error)
    return [`${path}: expected minute, hour, day of month, month and day of week, such as 0 16 * * 5; ${reason}`]
  }
}

export function zoneFaults(timeZone: string, path: string): string[] {
  try {
    new Intl.DateTimeFormat('en', { timeZone })
    return []
  } catch {
    return [`${path}: expected the IANA name of a time zone, such as Europe/Berlin; there is no ${timeZone}`]
  }
}
