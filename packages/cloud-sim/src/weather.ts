import { chance } from './chance.ts'
/** Effects that occur in AWS and that are off by default. */
export interface Weather {
  /** Delay of metrics, in cloud seconds. */
  metricLagSeconds: number
  /** Delay until list and describe operations return new resources, in cloud seconds. */
  consistencySeconds: number
  /** Whether lists without a documented order are shuffled. */
  shufflesLists: boolean
  /** Whether rate limits are enforced. */
  limitsRates: boolean
}

export const calm: Weather = { metricLagSeconds: 0, consistencySeconds: 0, shufflesLists: false, limitsRates: false }

/** All effects together, at their worst. */
export const rough: Weather = { metricLagSeconds: 180, consistencySeconds: 5, shufflesLists: true, limitsRates: true }

/** Shuffles the lists in an operation's result. */
export function shuffled(result: object): object {
  const members = Object.entries(result).map(([name, value]) => [name, Array.isArray(value) ? reordered(value) : value])
  return Object.fromEntries(members)
}

function reordered(items: unknown[]): unknown[] {
  const keyed = items.map((item) => ({ item, at: chance() }))
  return keyed.toSorted((a, b) => a.at - b.at).map(({ item }) => item)
}
