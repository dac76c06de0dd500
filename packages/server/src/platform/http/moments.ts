import { bodyInvalid, requestInvalid } from './input.ts'
import { listed } from './listed.ts'

/** Rejects nonexistent dates, such as those in month 13, which the pattern of the schema accepts. */
export function expectMoments({ startTime, endTime }: { startTime?: string; endTime?: string }): void {
  const wrong = Object.entries({ startTime, endTime }).filter(
    ([, time]) => time !== undefined && Number.isNaN(Date.parse(time)),
  )
  const items = wrong.map(([name]) => `$.${name}: expected a moment that there is`)
  if (items.length > 0) throw requestInvalid(listed('Query', items))
}

/**
 * Parses the date in a field of a body.
 *
 * @throws {ApiError} if the date does not exist
 */
export function momentOf(field: string, text: string): Date {
  const moment = new Date(text)
  if (Number.isNaN(moment.getTime())) throw bodyInvalid([`$.data.${field}: expected a moment that there is`])
  return moment
}
