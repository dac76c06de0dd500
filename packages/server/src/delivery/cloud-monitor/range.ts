/** Time range of a query. */
export type Range = { start: Date; end: Date }

/** Time range as requested; missing ends have defaults. */
export type RequestedRange = { startTime?: string; endTime?: string }

/** Range, or a message about an invalid request that begins with the path of the error. */
export type RangeOrFault<T> = T | { fault: string }

const secondMs = 1_000
const hourMs = 3_600 * secondMs
const dayMs = 24 * hourMs

const longestLogMs = 31 * dayMs
/** Retention of metrics in the cloud: fifteen months (CloudWatch user guide, "Metrics retention", read 2026-11). */
const longestMetricMs = 455 * dayMs

/** Returns the range of a log query; the default is the last hour. */
export const logRange = (wish: RequestedRange, now: Date): RangeOrFault<Range> =>
  rangeOf(wish, now, { usualMs: hourMs, longestMs: longestLogMs })

function rangeOf(
  { startTime, endTime }: RequestedRange,
  now: Date,
  { usualMs, longestMs }: { usualMs: number; longestMs: number },
): RangeOrFault<Range> {
  const end = endTime === undefined ? now : new Date(endTime)
  const start = startTime === undefined ? new Date(end.getTime() - usualMs) : new Date(startTime)
  // The pattern accepts days that do not exist, such as February 30.
  if (Number.isNaN(start.getTime())) return { fault: '$.startTime: expected a moment that there is' }
  if (Number.isNaN(end.getTime())) return { fault: '$.endTime: expected a moment that there is' }
  if (start >= end) return { fault: `$.startTime: expected a moment before ${end.toISOString()}` }
  const days = longestMs / dayMs
  if (end.getTime() - start.getTime() > longestMs)
    return { fault: `$.startTime: expected at most ${days} days before the end` }
  return { start, end }
}

export type MetricRange = Range & { periodSeconds: number }

/** Default number of points, sufficient for a chart as wide as a screen. */
const defaultPoints = 300
const maxPoints = 1_440
const steps = [60, 300, 900, 3_600, 10_800, 21_600, 86_400]

/**
 * Returns the range and interval of a metrics query. The default interval is the smallest that the cloud still has and
 * that does not result in too many points.
 */
export function metricRange(wish: RequestedRange & { periodSeconds?: number }, now: Date): RangeOrFault<MetricRange> {
  const range = rangeOf(wish, now, { usualMs: 3 * hourMs, longestMs: longestMetricMs })
  if ('fault' in range) return range
  const lengthMs = range.end.getTime() - range.start.getTime()
  const finest = finestPeriod(now.getTime() - range.start.getTime())
  const { periodSeconds } = wish
  if (periodSeconds === undefined) {
    const fits = (step: number) => step >= finest && lengthMs / secondMs / step <= defaultPoints
    return { ...range, periodSeconds: steps.find(fits) ?? (2 * dayMs) / secondMs }
  }
  if (periodSeconds % finest !== 0) {
    return {
      fault: `$.periodSeconds: expected a multiple of ${finest}: the cloud no longer has a finer resolution of that time`,
    }
  }
  if (lengthMs / secondMs / periodSeconds <= maxPoints) return { ...range, periodSeconds }
  const least = Math.ceil(lengthMs / secondMs / maxPoints / 60) * 60
  return { fault: `$.periodSeconds: expected at least ${least}, which gives ${maxPoints} points` }
}

/**
 * Returns the smallest interval in seconds that the cloud retains: one minute for 15 days, five minutes for 63 days,
 * then one hour (same source).
 */
function finestPeriod(ageMs: number): number {
  if (ageMs < 15 * dayMs) return 60
  return ageMs < 63 * dayMs ? 300 : 3_600
}
