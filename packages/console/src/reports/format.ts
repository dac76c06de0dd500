import { duration } from '../ui/time.tsx'

/** Shown without data. */
export const noValue = '–'

/** Formats a duration. */
export const formatDuration = (seconds: number | undefined): string =>
  seconds === undefined ? noValue : duration(1_000 * seconds)

const percent = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 1 })

export const formatPercent = (share: number | undefined): string =>
  share === undefined ? noValue : percent.format(share)

const number = new Intl.NumberFormat('en', { maximumFractionDigits: 1 })

export const formatNumber = (value: number): string => number.format(value)

const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone: 'UTC' })

/** Formats a time as a day in UTC. */
export const formatDay = (at: string): string => day.format(new Date(at))
