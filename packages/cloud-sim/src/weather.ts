import { chance } from './chance.ts'
/** What a real cloud does to its users every day. All of it is off unless a world is told otherwise. */
export interface Weather {
  /** What was measured is shown so much later. Cloud seconds. */
  metricLagSeconds: number
  /** What was made is shown so much later by operations that list and describe. Cloud seconds. */
  consistencySeconds: number
  /** Lists whose order nobody promised are shuffled. */
  shufflesLists: boolean
  /** Whoever asks more often than the cloud allows is throttled. */
  limitsRates: boolean
}

export const calm: Weather = { metricLagSeconds: 0, consistencySeconds: 0, shufflesLists: false, limitsRates: false }

/** All at once, as long as it may take on a bad day. */
export const rough: Weather = { metricLagSeconds: 180, consistencySeconds: 5, shufflesLists: true, limitsRates: true }

/** The result of an operation with its lists in another order. */
export function shuffled(result: object): object {
  const members = Object.entries(result).map(([name, value]) => [name, Array.isArray(value) ? reordered(value) : value])
  return Object.fromEntries(members)
}

function reordered(items: unknown[]): unknown[] {
  const keyed = items.map((item) => ({ item, at: chance() }))
  return keyed.toSorted((a, b) => a.at - b.at).map(({ item }) => item)
}
