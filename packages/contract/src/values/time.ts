import { type Static, Type } from 'typebox'

/** RFC 3339 time in UTC with a mandatory `Z` and 0 to 9 fractional digits of a second. */
export const UtcDateTime = Type.String({
  pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(\\.\\d{1,9})?Z$',
  description: 'Time in UTC: RFC 3339 with a mandatory Z and 0 to 9 fractional digits.',
  examples: ['2026-03-05T16:04:41.250Z'],
})
export type UtcDateTime = Static<typeof UtcDateTime>
