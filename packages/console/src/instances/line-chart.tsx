import type { ModuleInstanceMetric } from '@sluice/contract'
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
import type { Marker } from './metric-markers.ts'

type Props = {
  name: string
  points: ModuleInstanceMetric['points']
  height: number
  /** The time that is shown, measured or not: so that charts side by side are of the same. */
  range: [from: number, to: number]
  markers: readonly Marker[]
}

const dayMs = 86_400_000
const day = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' })
const time = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' })
const moment = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })
const number = new Intl.NumberFormat('en', { maximumSignificantDigits: 4, notation: 'compact' })

const faint = 'var(--mantine-color-default-border)'
const colors = {
  began: 'var(--mantine-color-dimmed)',
  moved: 'var(--mantine-color-dimmed)',
  ended: 'light-dark(var(--mantine-color-teal-8), var(--mantine-color-teal-4))',
  failed: 'light-dark(var(--mantine-color-red-8), var(--mantine-color-red-4))',
} as const satisfies Record<Marker['kind'], string>
const text = { fill: 'var(--mantine-color-dimmed)', fontSize: 12 }

/** A metric over time, with a numbered line at each moment that explains it. */
export default function LineChart({ name, points, height, range, markers }: Props) {
  const data = points.map(({ timestamp, value }) => ({ at: Date.parse(timestamp), value }))
  const [from, to] = range
  const isLong = to - from > dayMs
  return (
    <ResponsiveContainer width="100%" height={height}>
      <Lines data={data} title={name} margin={{ top: 8, right: 12, bottom: 0, left: 0 }}>
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
        <YAxis width={44} tick={text} stroke={faint} tickFormatter={(value: number) => number.format(value)} />
        <Tooltip
          isAnimationActive={false}
          labelFormatter={(at) => moment.format(Number(at))}
          formatter={(value) => [number.format(Number(value)), name]}
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
            label={{ value: index + 1, position: 'insideTopRight', ...text }}
          />
        ))}
        <Line
          type="monotone"
          dataKey="value"
          stroke="light-dark(var(--mantine-color-water-6), var(--mantine-color-water-4))"
          strokeWidth={2}
          dot={false}
          isAnimationActive={false}
        />
      </Lines>
    </ResponsiveContainer>
  )
}
