import { bodyInvalid, requestInvalid } from './input.ts'
import { listed } from './listed.ts'

/** Refuses moments that there are not: their form leaves room for a month 13. */
export function expectMoments({ startTime, endTime }: { startTime?: string; endTime?: string }): void {
  const wrong = Object.entries({ startTime, endTime }).filter(
    ([, time]) => time !== undefined && Number.isNaN(Date.parse(time)),
  )
  const items = wrong.map(([name]) => `$.${name}: expected a moment that there is`)
  if (items.length > 0) throw requestInvalid(listed('Query', items))
}

/**
 * The moment that a field of a body says.
 *
 * @throws {Refusal} where there is no such moment.
 */
export function momentOf(field: string, text: string): Date {
  const moment = new Date(text)
  if (Number.isNaN(moment.getTime())) throw bodyInvalid([`$.data.${field}: expected a moment that there is`])
  return moment
}
