import type { MetricPoints } from '@sluice/contract'
import { bisectCenter, extent } from 'd3-array'
import { scaleLinear, scaleTime } from 'd3-scale'

/** Line of a chart. The muted one is the baseline. A stepped one keeps each value until the next point. */
export type Series = { name: string; points: MetricPoints; isMuted?: boolean; isStepped?: boolean }

/** Threshold value. */
export type Bound = { value: number; label: string }

/** Space around the plot for the labels of the axes, in pixels. */
const margin = { top: 12, right: 12, bottom: 24, left: 72 }

/** Point of a line, in milliseconds since 1970 and the unit of the metric. */
export type Point = { at: number; value: number }

export type Line = Omit<Series, 'points'> & { points: readonly Point[] }

/** Returns the lines to draw, with the points of each in order of time. */
export const linesOf = (series: readonly Series[]): Line[] =>
  series.map(({ points, ...line }) => ({
    ...line,
    points: points
      .map(({ timestamp, value }) => ({ at: Date.parse(timestamp), value }))
      .sort((one, other) => one.at - other.at),
  }))

type Plot = { width: number; height: number; range: [from: number, to: number] }

/** Maps times and values to pixels. Values start at zero, unless one is negative, and leave room for the bounds. */
export function scalesOf(lines: readonly Line[], bounds: readonly Bound[], { width, height, range }: Plot) {
  const values = lines.flatMap(({ points }) => points.map(({ value }) => value))
  const [lowest = 0, highest = 1] = extent([0, ...values, ...bounds.map(({ value }) => value)])
  const right = Math.max(margin.left, width - margin.right)
  const x = scaleTime(range, [margin.left, right])
  const y = scaleLinear([lowest, highest === lowest ? lowest + 1 : highest], [height - margin.bottom, margin.top]).nice(
    4,
  )
  const isWhole = values.every(Number.isInteger)
  return {
    x,
    y,
    left: margin.left,
    right,
    top: margin.top,
    bottom: height - margin.bottom,
    times: x.ticks(Math.max(2, Math.floor((right - margin.left) / 110))),
    values: y.ticks(4).filter((value) => !isWhole || Number.isInteger(value)),
  }
}

export type Scales = ReturnType<typeof scalesOf>

/** Returns all times with a value in any line, in order. */
export const timesOf = (lines: readonly Line[]): number[] =>
  [...new Set(lines.flatMap(({ points }) => points.map(({ at }) => at)))].sort((one, other) => one - other)

/** Returns the index of the time that is closest to `at`, or undefined without times. */
export const nearestTime = (times: readonly number[], at: number): number | undefined =>
  times.length === 0 ? undefined : bisectCenter(times, at)
