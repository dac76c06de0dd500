import type { FreezeWindow } from '@sluice/contract'

/** Types of a freeze's schedule. */
export type ScheduleType = 'once' | 'weekly' | 'cron'

const weekly = /^(\d{1,2}) (\d{1,2}) \* \* (\*|\d(?:,\d)*)$/

export function scheduleTypeOf(window: FreezeWindow | undefined): ScheduleType {
  if (window === undefined || 'from' in window) return 'once'
  return weekly.test(window.cron) ? 'weekly' : 'cron'
}

/** Returns the weekdays, none meaning all, and the start time. */
export function weeklyOf(window: FreezeWindow | undefined): { days: string[]; time: string } {
  const [, minute, hour, days] = (window && 'cron' in window && weekly.exec(window.cron)) || []
  if (minute === undefined || hour === undefined) return { days: ['5'], time: '16:00' }
  return {
    days: days === '*' || days === undefined ? [] : days.split(',').map((day) => String(Number(day) % 7)),
    time: `${hour.padStart(2, '0')}:${minute.padStart(2, '0')}`,
  }
}

/** Returns the cron expression for a time such as `16:00` on days such as `5,6`. */
export function weeklyIn(time: string, days: string): string {
  const [hour, minute] = time.split(':').map(Number)
  return `${minute} ${hour} * * ${days === '' ? '*' : days}`
}

/** Formats a time for a datetime field in the reader's time zone. */
export const toFieldTime = (at: string): string => new Date(at).toLocaleString('sv').replace(' ', 'T').slice(0, 16)

export const fromFieldTime = (field: string): string => new Date(field).toISOString()
