import type { MetricCheck } from './spec.ts'

/** Whole periods of a metric: those that begin at or after `start` and end by `end`. */
export type Periods = { start: Date; end: Date }

/** How a metric is to be looked at now. */
export type Look = { periods: Periods | undefined; mustHaveData: boolean }

/**
 * Where the module does not say: twice the two to three minutes by which metrics of the cloud usually are late.
 * Seconds.
 */
export const usualNoDataAfterSeconds = 300

/**
 * Which periods say something about a release that has stood at its place `since` then. One that began before that
 * shows the version before, and one that is not over yet changes; what is older than metrics are ever late is not about
 * now. `mustHaveData`: even the first of them must have come by now, late as metrics are.
 */
export function lookAt(
  { metric, noDataAfterSeconds = usualNoDataAfterSeconds }: MetricCheck,
  since: Date,
  now: Date,
): Look {
  const periodMs = metric.periodSeconds * 1000
  const lateMs = noDataAfterSeconds * 1000
  const wholeBefore = (ms: number) => Math.floor(ms / periodMs) * periodMs
  const first = Math.ceil(since.getTime() / periodMs) * periodMs
  const start = Math.max(first, wholeBefore(now.getTime() - lateMs) - periodMs)
  const end = wholeBefore(now.getTime())
  const periods = end > start ? { start: new Date(start), end: new Date(end) } : undefined
  return { periods, mustHaveData: now.getTime() >= first + periodMs + lateMs }
}
