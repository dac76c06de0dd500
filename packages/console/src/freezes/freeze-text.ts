import type { FreezableOperation, Freeze, FreezeWindow } from '@sluice/contract'
import { toTheMinute } from '../ui/time.tsx'

/** Labels of blockable actions for lists and forms. */
const acts = {
  RELEASES: { label: 'Releases', does: 'Blocks new releases.' },
  CONTINUES: { label: 'Continuing paused releases', does: 'Releases in progress stay at their next pause.' },
  ROLLBACKS: { label: 'Rollbacks', does: 'Blocks rollbacks to an earlier release.' },
  APPLIES: { label: 'Applies', does: 'Blocks pipeline steps that change or destroy infrastructure.' },
} as const satisfies Record<FreezableOperation, { label: string; does: string }>

export const blockableActions = Object.entries(acts).map(([act, words]) => ({
  act: act as FreezableOperation,
  ...words,
}))

/** Returns text such as `releases and rollbacks`. */
export const describeBlocked = (stops: readonly FreezableOperation[]): string =>
  list.format(stops.map((act) => acts[act].label.toLowerCase()))

const list = new Intl.ListFormat('en', { type: 'conjunction' })

/** Returns text such as `Frozen until 16:00: Half of the team is away. (Holidays)`. */
export const describeFreeze = ({ period, name, reason }: Freeze): string =>
  `Frozen until ${toTheMinute(period?.until ?? '')}: ${describeReason({ name, reason })}`

export const describeReason = ({ name, reason }: { name: string; reason?: string | undefined }): string =>
  reason === undefined ? name : `${reason} (${name})`

/** Returns text such as `every Friday 16:00 Berlin, for 2 d 16 h`, or the start and end in the reader's time zone. */
export function describeWindow(window: FreezeWindow): string {
  if ('from' in window) return `${toTheMinute(window.from)} – ${toTheMinute(window.until)}`
  const { cron, timeZone, minutes } = window
  return `${describeCron(cron) ?? `cron ${cron}`} ${zoneWords(timeZone)}, for ${formatMinutes(minutes)}`
}

/** Returns `Berlin` for `Europe/Berlin`. */
const zoneWords = (timeZone: string): string => (timeZone.split('/').at(-1) ?? timeZone).replaceAll('_', ' ')

/** Returns text such as `2 d 16 h` without zero parts. */
export function formatMinutes(minutes: number): string {
  const parts = [
    [Math.floor(minutes / 1440), 'd'],
    [Math.floor((minutes % 1440) / 60), 'h'],
    [minutes % 60, 'min'],
  ] as const
  return parts.flatMap(([count, unit]) => (count > 0 ? [`${count} ${unit}`] : [])).join(' ')
}

export const weekdays = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'] as const

const months = Array.from({ length: 12 }, (_, month) =>
  new Date(Date.UTC(2000, month)).toLocaleString('en', { month: 'long', timeZone: 'UTC' }),
)

/** Describes common cron expressions; undefined for others. */
export function describeCron(cron: string): string | undefined {
  const [minute = '', hour = '', day = '', month = '', weekday = ''] = cron.trim().split(/\s+/)
  if (!isNumber(minute) || !isNumber(hour)) return undefined
  const days = daysWords(day, month, weekday)
  return days && `${days} ${hour.padStart(2, '0')}:${minute.padStart(2, '0')}`
}

const isNumber = (text: string): boolean => /^\d+$/.test(text)

function daysWords(day: string, month: string, weekday: string): string | undefined {
  if (day === '*' && month === '*') return weekdaysWords(weekday)
  if (weekday !== '*' || !isNumber(day)) return undefined
  if (month === '*') return `on day ${day} of every month`
  const name = months[Number(month) - 1]
  return name && `every year on ${day} ${name}`
}

function weekdaysWords(field: string): string | undefined {
  if (field === '*') return 'every day'
  const [from, to] = field.split('-').map((day) => weekdayOf(day))
  if (from && to) return `every ${from} to ${to}`
  const days = field.split(',').map((day) => weekdayOf(day))
  return days.every((day) => day !== undefined) ? `every ${list.format(days)}` : undefined
}

/** Sunday is both 0 and 7. */
const weekdayOf = (field: string): string | undefined =>
  isNumber(field)
    ? weekdays[Number(field) % 7]
    : weekdays.find((name) => field.length === 3 && name.toLowerCase().startsWith(field.toLowerCase()))
