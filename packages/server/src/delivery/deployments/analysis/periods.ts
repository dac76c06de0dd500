import type { MetricCheck } from './spec.ts'

/** Complete periods of a metric: each begins at or after `start` and ends by `end`. */
export type Periods = { start: Date; end: Date }

/** Periods to read from a metric now, and whether they must have data. */
export type PeriodsToRead = { periods: Periods | undefined; mustHaveData: boolean }

/**
 * Default time after which a metric without data is evaluated as such, in seconds: twice the two to three minutes by
 * which CloudWatch metrics usually are late.
 */
export const defaultNoDataAfterSeconds = 300

/**
 * Returns the periods that measure a release that reached its current step at `since`. Skips periods that began before,
 * incomplete ones, and those older than the maximum delay of metrics. `mustHaveData` is true if even a delayed first
 * period must have arrived by now.
 */
export function periodsToRead(
  { metric, noDataAfterSeconds = defaultNoDataAfterSeconds }: MetricCheck,
  since: Date,
  now: Date,
): PeriodsToRead {
  const periodMs = metric.periodSeconds * 1000
  const lateMs = noDataAfterSeconds * 1000
  const wholeBefore = (ms: number) => Math.floor(ms / periodMs) * periodMs
  const first = Math.ceil(since.getTime() / periodMs) * periodMs
  const start = Math.max(first, wholeBefore(now.getTime() - lateMs) - periodMs)
  const end = wholeBefore(now.getTime())
  const periods = end > start ? { start: new Date(start), end: new Date(end) } : undefined
  return { periods, mustHaveData: now.getTime() >= first + periodMs + lateMs }
}
