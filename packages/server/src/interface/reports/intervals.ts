import type { ReportInterval } from '@sluice/contract'

type Divided = Exclude<ReportInterval, 'TOTAL'>

/** Returns the start of a time's interval in UTC. Weeks start on Monday, as in the database. */
export function beginOf(moment: Date, interval: Divided): Date {
  const day = new Date(Date.UTC(moment.getUTCFullYear(), moment.getUTCMonth(), moment.getUTCDate()))
  if (interval === 'WEEK') day.setUTCDate(day.getUTCDate() - ((day.getUTCDay() + 6) % 7))
  if (interval === 'MONTH') day.setUTCDate(1)
  return day
}

function nextOf(begin: Date, interval: Divided): Date {
  const next = new Date(begin)
  if (interval === 'MONTH') next.setUTCMonth(next.getUTCMonth() + 1)
  else next.setUTCDate(next.getUTCDate() + (interval === 'WEEK' ? 7 : 1))
  return next
}

/** Returns the starts of the intervals that overlap a period. */
export function intervalsIn({ start, end }: { start: Date; end: Date }, interval: ReportInterval): string[] {
  if (interval === 'TOTAL') return [start.toISOString()]
  const begins: string[] = []
  for (let begin = beginOf(start, interval); begin < end; begin = nextOf(begin, interval)) {
    begins.push(begin.toISOString())
  }
  return begins
}
