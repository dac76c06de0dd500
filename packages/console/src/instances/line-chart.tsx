import { useElementSize } from '@mantine/hooks'
import { curveMonotoneX, curveStepAfter, line as lineGenerator } from 'd3-shape'
import { type KeyboardEvent, type PointerEvent, useId, useState } from 'react'
import {
  type Bound,
  type Line,
  linesOf,
  nearestTime,
  type Point,
  type Scales,
  type Series,
  scalesOf,
  timesOf,
} from './chart-scales.ts'
import classes from './line-chart.module.css'
import { type Marker, numberMarkers } from './metric-markers.ts'

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

/** Width of the longest marker number, such as 18–20, with padding. Pixels. */
const numberWidth = 44

/** Draws metrics over time with numbered event markers. The pointer and the arrow keys show the values of a moment. */
export default function LineChart({ name, series, inWords, bounds = [], height, range, markers }: Props) {
  const { ref, width } = useElementSize()
  const [selected, setSelected] = useState<number>()
  const lines = linesOf(series)
  const times = timesOf(lines)
  const scales = scalesOf(lines, bounds, { width, height, range })
  const isLong = range[1] - range[0] > dayMs

  const point = ({ nativeEvent }: PointerEvent) =>
    setSelected(nearestTime(times, scales.x.invert(nativeEvent.offsetX).getTime()))
  const step = (event: KeyboardEvent) => {
    if (event.key === 'Escape') return setSelected(undefined)
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key]
    if (by === undefined || times.length === 0) return
    event.preventDefault()
    const last = times.length - 1
    setSelected(Math.min(last, Math.max(0, selected === undefined ? (by > 0 ? 0 : last) : selected + by)))
  }
  const at = selected === undefined ? undefined : times[selected]

  return (
    <div ref={ref} className={classes.chart} style={{ height }}>
      {width > 0 && (
        <svg
          role="img"
          aria-label={name}
          width={width}
          height={height}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: the arrow keys show values, which a picture lacks
          tabIndex={0}
          onPointerMove={point}
          onPointerLeave={() => setSelected(undefined)}
          onKeyDown={step}
          onBlur={() => setSelected(undefined)}
        >
          <Axes scales={scales} inWords={inWords} timeFormat={isLong ? day : time} />
          <Markers scales={scales} markers={markers} />
          <Bounds scales={scales} bounds={bounds} />
          <Lines scales={scales} lines={lines} />
          {at !== undefined && (
            <line className={classes.cursor} x1={scales.x(at)} x2={scales.x(at)} y1={scales.top} y2={scales.bottom} />
          )}
        </svg>
      )}
      {at !== undefined && <Values at={at} lines={lines} inWords={inWords} scales={scales} />}
    </div>
  )
}

type AxesProps = { scales: Scales; inWords: (value: number) => string; timeFormat: Intl.DateTimeFormat }

function Axes({ scales, inWords, timeFormat }: AxesProps) {
  const { x, y, left, right, bottom } = scales
  return (
    <g className={classes.axes}>
      {scales.values.map((value) => (
        <g key={value}>
          <line x1={left} x2={right} y1={y(value)} y2={y(value)} />
          <text x={left - 8} y={y(value)} dy="0.32em" textAnchor="end">
            {inWords(value)}
          </text>
        </g>
      ))}
      {scales.times.map((at) => (
        <text key={at.getTime()} x={x(at)} y={bottom + 18} textAnchor="middle">
          {timeFormat.format(at)}
        </text>
      ))}
    </g>
  )
}

function Markers({ scales, markers }: { scales: Scales; markers: readonly Marker[] }) {
  const { x, left, right, top, bottom } = scales
  const [from = 0, to = 0] = x.domain().map(Number)
  const numbers = numberMarkers(markers, ((to - from) * numberWidth) / Math.max(right - left, numberWidth))
  return markers.map(({ at, label, kind }, index) => (
    <g key={`${at} ${label}`} className={classes.marker} data-kind={kind}>
      <line x1={x(at)} x2={x(at)} y1={top} y2={bottom} />
      <text x={x(at) - 4} y={top + 10} textAnchor="end">
        {numbers[index]}
      </text>
    </g>
  ))
}

function Bounds({ scales, bounds }: { scales: Scales; bounds: readonly Bound[] }) {
  const { y, left, right } = scales
  return bounds.map(({ value, label }) => (
    <g key={label} className={classes.bound}>
      <line x1={left} x2={right} y1={y(value)} y2={y(value)} />
      <text x={left + 4} y={y(value) - 4}>
        {label}
      </text>
    </g>
  ))
}

function Lines({ scales, lines }: { scales: Scales; lines: readonly Line[] }) {
  const { x, y, left, right, top, bottom } = scales
  const plot = useId()
  const drawn = lines.map(({ name, points, isMuted = false, isStepped = false }) => {
    const path = lineGenerator<Point>(
      ({ at }) => x(at),
      ({ value }) => y(value),
    ).curve(isStepped ? curveStepAfter : curveMonotoneX)
    const [only] = points
    return (
      <g key={name} className={classes.series} data-muted={isMuted}>
        <path d={path(points) ?? undefined} />
        {points.length === 1 && only && <circle cx={x(only.at)} cy={y(only.value)} r={3} />}
      </g>
    )
  })
  return (
    <>
      <clipPath id={plot}>
        <rect x={left} y={top - 2} width={Math.max(0, right - left)} height={Math.max(0, bottom - top + 4)} />
      </clipPath>
      <g clipPath={`url(#${plot})`}>{drawn}</g>
    </>
  )
}

type ValuesProps = { at: number; lines: readonly Line[]; inWords: (value: number) => string; scales: Scales }

/** Lists the value of each line at one moment, beside the cursor. */
function Values({ at, lines, inWords, scales }: ValuesProps) {
  const x = scales.x(at)
  const isLeft = x > (scales.left + scales.right) / 2
  return (
    <dl
      className={classes.values}
      aria-live="polite"
      style={isLeft ? { right: `calc(100% - ${x - 8}px)` } : { left: x + 8 }}
    >
      <dt>{moment.format(at)}</dt>
      {lines.map((line) => {
        const value = valueAt(line, at)
        return value === undefined ? undefined : <dd key={line.name}>{`${line.name}: ${inWords(value)}`}</dd>
      })}
    </dl>
  )
}

/** Returns the value of a line at a moment. A stepped line keeps its last value. */
function valueAt({ points, isStepped = false }: Line, at: number): number | undefined {
  if (isStepped) return points.findLast((point) => point.at <= at)?.value
  return points.find((point) => point.at === at)?.value
}
