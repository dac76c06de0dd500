import type { ReportInterval } from '@sluice/contract'

const dayMs = 86_400_000

/** Selectable periods in days, including today. */
export const periods = ['7', '30', '90'] as const
export type Period = (typeof periods)[number]

export const defaultPeriod: Period = '30'

/** Period in the address: days up to now, or from one day such as `2026-03-05` to another. */
export type PeriodSelection = { days?: string; from?: string; to?: string }

/** Start and end of a report; without an end, up to now. */
export type TimeRange = { startTime: string; endTime?: string }

export const isPeriod = (word: string | undefined): word is Period => periods.some((one) => one === word)

/** Returns the selected time range in UTC days, like the server's intervals. Ignores invalid days. */
export function timeRangeOf({ days, from, to }: PeriodSelection, now: Date): TimeRange {
  const [first, last] = [beginOf(from), beginOf(to)]
  const count = Number(isPeriod(days) ? days : defaultPeriod)
  const end = last === undefined ? undefined : last + dayMs
  const start = first ?? (end ?? Math.floor(now.getTime() / dayMs) * dayMs + dayMs) - count * dayMs
  return {
    startTime: new Date(start).toISOString(),
    ...(end !== undefined && { endTime: new Date(end).toISOString() }),
  }
}

/** Returns the selected period; undefined for a range of days. */
export const periodOf = ({ days, from, to }: PeriodSelection): Period | undefined =>
  beginOf(from) !== undefined || beginOf(to) !== undefined ? undefined : isPeriod(days) ? days : defaultPeriod

function beginOf(day: string | undefined): number | undefined {
  const begin = /^\d{4}-\d\d-\d\d$/.test(day ?? '') ? Date.parse(`${day}T00:00:00Z`) : Number.NaN
  return Number.isNaN(begin) ? undefined : begin
}

/** Returns the interval that gives a chart about ten to fifty points. */
export function intervalOf({ startTime, endTime }: TimeRange, now: Date): ReportInterval {
  const days = ((endTime === undefined ? now.getTime() : Date.parse(endTime)) - Date.parse(startTime)) / dayMs
  if (days <= 45) return 'DAY'
  return days <= 200 ? 'WEEK' : 'MONTH'
}
