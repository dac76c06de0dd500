/** The part of time that is asked for. */
export type Range = { start: Date; end: Date }

/** What a request says of it; what it leaves out is filled in. */
export type RangeWish = { startTime?: string; endTime?: string }

/** A range, or what is wrong with the wish: a line with the place of the fault. */
export type RangeOrFault<T> = T | { fault: string }

const secondMs = 1_000
const hourMs = 3_600 * secondMs
const dayMs = 24 * hourMs

const longestLogMs = 31 * dayMs
/** The cloud keeps metrics for fifteen months (CloudWatch user guide, "Metrics retention", read 2026-11). */
const longestMetricMs = 455 * dayMs

/** The part of a log: the last hour, if nothing else is said. */
export const logRange = (wish: RangeWish, now: Date): RangeOrFault<Range> =>
  rangeOf(wish, now, { usualMs: hourMs, longestMs: longestLogMs })

function rangeOf(
  { startTime, endTime }: RangeWish,
  now: Date,
  { usualMs, longestMs }: { usualMs: number; longestMs: number },
): RangeOrFault<Range> {
  const end = endTime === undefined ? now : new Date(endTime)
  const start = startTime === undefined ? new Date(end.getTime() - usualMs) : new Date(startTime)
  // The pattern lets through days that no month has.
  if (Number.isNaN(start.getTime())) return { fault: '$.startTime: expected a moment that there is' }
  if (Number.isNaN(end.getTime())) return { fault: '$.endTime: expected a moment that there is' }
  if (start >= end) return { fault: `$.startTime: expected a moment before ${end.toISOString()}` }
  const days = longestMs / dayMs
  if (end.getTime() - start.getTime() > longestMs)
    return { fault: `$.startTime: expected at most ${days} days before the end` }
  return { start, end }
}

export type MetricRange = Range & { periodSeconds: number }

/** Enough for a chart as wide as a screen. */
const usualPoints = 300
const mostPoints = 1_440
const steps = [60, 300, 900, 3_600, 10_800, 21_600, 86_400]

/**
 * The part of metrics and how far their points are apart: what was asked for, or the smallest step that does not give
 * too many points and that the cloud still has.
 */
export function metricRange(wish: RangeWish & { periodSeconds?: number }, now: Date): RangeOrFault<MetricRange> {
  const range = rangeOf(wish, now, { usualMs: 3 * hourMs, longestMs: longestMetricMs })
  if ('fault' in range) return range
  const lengthMs = range.end.getTime() - range.start.getTime()
  const finest = finestPeriod(now.getTime() - range.start.getTime())
  const { periodSeconds } = wish
  if (periodSeconds === undefined) {
    const fits = (step: number) => step >= finest && lengthMs / secondMs / step <= usualPoints
    return { ...range, periodSeconds: steps.find(fits) ?? (2 * dayMs) / secondMs }
  }
  if (periodSeconds % finest !== 0) {
    return {
      fault: `$.periodSeconds: expected a multiple of ${finest}: the cloud has nothing finer of that time any more`,
    }
  }
  if (lengthMs / secondMs / periodSeconds <= mostPoints) return { ...range, periodSeconds }
  const least = Math.ceil(lengthMs / secondMs / mostPoints / 60) * 60
  return { fault: `$.periodSeconds: expected at least ${least}, which gives ${mostPoints} points` }
}

/** The cloud merges what is old: minutes for 15 days, five minutes for 63, then hours (the same page). Seconds. */
function finestPeriod(ageMs: number): number {
  if (ageMs < 15 * dayMs) return 60
  return ageMs < 63 * dayMs ? 300 : 3_600
}
