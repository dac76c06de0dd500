import { Cron } from 'croner'

/** Returns when a schedule is next due after a time; undefined if it never is. */
export const nextTime = (cron: string, timeZone: string, after: Date): Date | undefined =>
  new Cron(cron, { mode: '5-part', timezone: timeZone }).nextRun(after) ?? undefined

/** Returns the errors in the times of a schedule at `place`. */
export function scheduleFaults(
  cron: string,
  timeZone: string,
  place: string,
  zoneField: 'time_zone' | 'timeZone' = 'time_zone',
): string[] {
  return [...cronFaults(cron, `${place}.cron`), ...zoneFaults(timeZone, `${place}.${zoneField}`)]
}

function cronFaults(cron: string, path: string): string[] {
  try {
    if (nextTime(cron, 'UTC', new Date(0))) return []
    return [`${path}: expected a time that comes, this one never does`]
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/^CronPattern: /, '') : String(error)
    return [`${path}: expected minute, hour, day of month, month and day of week, such as 0 6 * * 1-5; ${reason}`]
  }
}

function zoneFaults(timeZone: string, path: string): string[] {
  try {
    new Intl.DateTimeFormat('en', { timeZone })
    return []
  } catch {
    return [`${path}: expected the IANA name of a time zone, such as Europe/Berlin; there is no ${timeZone}`]
  }
}
