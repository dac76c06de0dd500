import { duration } from '../ui/time.tsx'

/** Shown without data. */
export const nothing = '–'

/** Formats a duration. */
export const secondsInWords = (seconds: number | undefined): string =>
  seconds === undefined ? nothing : duration(1_000 * seconds)

const percent = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 1 })

export const shareInWords = (share: number | undefined): string =>
  share === undefined ? nothing : percent.format(share)

const number = new Intl.NumberFormat('en', { maximumFractionDigits: 1 })

export const numberInWords = (value: number): string => number.format(value)

const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone: 'UTC' })

/** Formats a time as a day in UTC. */
export const dayInWords = (at: string): string => day.format(new Date(at))
