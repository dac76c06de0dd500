import type { MetricPoints } from '@sluice/contract'
import { useState } from 'react'
import {
  CartesianGrid,
  Line,
  LineChart as Lines,
  ReferenceLine,
  ResponsiveContainer,
  Tooltip,
  XAxis,
  YAxis,
} from 'recharts'
import { type Marker, numberMarkers } from './metric-markers.ts'

/** Line of a chart. The muted one is the baseline. A stepped one keeps each value until the next point. */
export type Series = { name: string; points: MetricPoints; isMuted?: boolean; isStepped?: boolean }

/** Threshold value. */
export type Bound = { value: number; label: string }

type Props = {
  name: string
  series: readonly Series[]
  /** Formats a value. */
  inWords: (value: number) => string
  bounds?: readonly Bound[]
  height: number
  /** Time range of the chart, with or without data, so that adjacent charts align. */
  range: [from: number, to: number]
  markers: readonly Marker[]
}

const dayMs = 86_400_000
const day = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' })
const time = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' })
const moment = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })

const faint = 'var(--mantine-color-default-border)'
const colors = {
  began: 'var(--mantine-color-dimmed)',
  moved: 'var(--mantine-color-dimmed)',
  ended: 'light-dark(var(--mantine-color-teal-8), var(--mantine-color-teal-4))',
  failed: 'light-dark(var(--mantine-color-red-8), var(--mantine-color-red-4))',
} as const satisfies Record<Marker['kind'], string>
const text = { fill: 'var(--mantine-color-dimmed)', fontSize: 12 }

/** Width of the longest marker number, such as 18–20, with padding. Pixels. */
const numberWidth = 44

const line = 'light-dark(var(--mantine-color-water-6), var(--mantine-color-water-4))'

/** Draws metrics over time with numbered event markers. */
export default function LineChart({ name, series, inWords, bounds = [], height, range, markers }: Props) {
  const data = rowsOf(series)
  const [from, to] = range
  const isLong = to - from > dayMs
  const [width, setWidth] = useState(0)
  const numbers = numberMarkers(markers, ((to - from) * numberWidth) / Math.max(width, numberWidth))
  return (
    <ResponsiveContainer width="100%" height={height} onResize={setWidth}>
      <Lines data={data} title={name} margin={{ top: 12, right: 12, bottom: 0, left: 0 }}>
        <CartesianGrid stroke={faint} vertical={false} />
        <XAxis
          dataKey="at"
          type="number"
          scale="time"
          domain={range}
          allowDataOverflow
          tickFormatter={(at: number) => (isLong ? day : time).format(at)}
          tick={text}
          stroke={faint}
          minTickGap={48}
        />
        <YAxis
          width={64}
          tick={text}
          stroke={faint}
          domain={[
            (lowest: number) => Math.min(0, lowest),
            (highest: number) => Math.max(highest, ...bounds.map(({ value }) => value)),
          ]}
          tickFormatter={(value: number) => inWords(value).replaceAll(' ', '\u00a0')} // keep on one line
        />
        <Tooltip
          isAnimationActive={false}
          labelFormatter={(at) => moment.format(Number(at))}
          formatter={(value, name) => [inWords(Number(value)), name]}
          contentStyle={{
            background: 'var(--mantine-color-body)',
            border: `1px solid ${faint}`,
            borderRadius: 'var(--mantine-radius-md)',
            color: 'var(--mantine-color-text)',
          }}
        />
        {markers.map(({ at, label, kind }, index) => (
          <ReferenceLine
            key={`${at} ${label}`}
            x={at}
            stroke={colors[kind]}
            strokeDasharray="3 3"
            label={{ value: numbers[index], position: 'insideTopRight', ...text }}
          />
        ))}
        {bounds.map(({ value, label }) => (
          <ReferenceLine
            key={label}
            y={value}
            stroke={colors.failed}
            label={{ value: label, position: 'insideBottomLeft', ...text }}
          />
        ))}
        {series.map(({ name, points, isMuted = false, isStepped = false }, index) => (
          <Line
            key={name}
            type={isStepped ? 'stepAfter' : 'monotone'}
            name={name}
            dataKey={keyOf(index)}
            stroke={isMuted ? 'var(--mantine-color-dimmed)' : line}
            strokeDasharray={isMuted ? '6 4' : '0'}
            strokeWidth={2}
            dot={points.length === 1}
            connectNulls
            isAnimationActive={false}
          />
        ))}
      </Lines>
    </ResponsiveContainer>
  )
}

const keyOf = (index: number) => `value${index}`

/** Merges all series by timestamp. */
function rowsOf(series: readonly Series[]): Record<string, number>[] {
  const rows = new Map<number, Record<string, number>>()
  for (const [index, { points }] of series.entries()) {
    for (const { timestamp, value } of points) {
      const at = Date.parse(timestamp)
      rows.set(at, { ...(rows.get(at) ?? { at }), [keyOf(index)]: value })
    }
  }
  return [...rows.values()].sort((one, other) => (one.at ?? 0) - (other.at ?? 0))
}
