import { useInterval } from '@mantine/hooks'
import { useState } from 'react'

const units = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })
const exact = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' })

/** Includes the reader's time zone. */
const zoned = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'long' })

/** Formats a time in full, with the reader's time zone. */
export const zonedTime = (at: string): string => zoned.format(new Date(at))

/** Returns the current time, updated at an interval. */
export function useNow(everyMs = 1_000): number {
  const [now, setNow] = useState(() => Date.now())
  useInterval(() => setNow(Date.now()), everyMs, { autoInvoke: true })
  return now
}

/** Shows a relative time with the exact time as a tooltip. */
export const TimeAgo = ({ at }: { at: string }) => {
  const now = useNow(15_000)
  return (
    <time dateTime={at} title={zonedTime(at)}>
      {ago(Date.parse(at) - now)}
    </time>
  )
}

const sameDay = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' })

const minute = { hour: '2-digit', minute: '2-digit' } as const
const weekdayAndMinute = { weekday: 'short', day: 'numeric', month: 'short', ...minute } as const

/** Formats a time to the minute, with the day unless it is today, and the year unless it is this year. */
export function toTheMinute(at: string): string {
  const [moment, now] = [new Date(at), new Date()]
  if (moment.toDateString() === now.toDateString()) return moment.toLocaleTimeString(undefined, minute)
  const isThisYear = moment.getFullYear() === now.getFullYear()
  return moment.toLocaleString(undefined, { ...weekdayAndMinute, ...(!isThisYear && { year: 'numeric' }) })
}

/** Shows the same with the exact time as a tooltip. */
export const ClockTime = ({ at }: { at: string }) => (
  <time dateTime={at} title={zonedTime(at)}>
    {toTheMinute(at)}
  </time>
)

/** Shows a time to the second, with the day unless it is today. */
export const TimeOfDay = ({ at }: { at: string }) => {
  const moment = new Date(at)
  const isToday = moment.toDateString() === new Date().toDateString()
  return (
    <time dateTime={at} title={zoned.format(moment)}>
      {(isToday ? sameDay : exact).format(moment)}
    </time>
  )
}

/** Matches timestamps in messages of the server. */
const writtenMoment = /(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z)/

/** Shows a message of the server with its timestamps in the reader's time zone. */
export const InReadersTime = ({ sentence }: { sentence: string }) =>
  // Every second part is a timestamp, because the pattern has a capturing group.
  sentence.split(writtenMoment).map((part, index) => (index % 2 === 1 ? <TimeOfDay key={index} at={part} /> : part))

function ago(differenceMs: number): string {
  const [unit, lengthMs] = units.find(([, length]) => Math.abs(differenceMs) >= length) ?? ['minute', 60_000]
  return Math.abs(differenceMs) < 60_000 ? 'just now' : relative.format(Math.round(differenceMs / lengthMs), unit)
}

/** Formats a duration such as `1 h 04 min` or `2 min 05 s`. */
export function duration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1_000))
  const pad = (n: number) => String(n).padStart(2, '0')
  if (seconds >= 86_400) return `${Math.floor(seconds / 86_400)} d ${Math.floor((seconds % 86_400) / 3_600)} h`
  if (seconds >= 3_600) return `${Math.floor(seconds / 3_600)} h ${pad(Math.floor((seconds % 3_600) / 60))} min`
  return seconds >= 60 ? `${Math.floor(seconds / 60)} min ${pad(seconds % 60)} s` : `${seconds} s`
}

/** Shows the time elapsed since `from`, until `to` or now. */
export const Elapsed = ({ from, to }: { from: string; to?: string | undefined }) => {
  const now = useNow()
  return <span>{duration((to === undefined ? now : Date.parse(to)) - Date.parse(from))}</span>
}
