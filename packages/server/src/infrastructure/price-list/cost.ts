import type { PlanCost, Price, PriceList } from '@sluice/contract'
import { attributesOf } from '../iac-steps/attributes.ts'
import { type Amount, amountOf, decimalOf } from './amount.ts'

/** A resource of a plan as far as its price goes: what it is before and after; null where it is not. */
export type Priced = { resourceType: string; before: unknown; after: unknown }

/** So many types without a price are named; the count tells of how many resources there is none. */
const mostTypes = 100

/** What resources cost before and after a plan; undefined where there is no price list. */
export function costOf({ currency, prices }: PriceList, resources: readonly Priced[]): PlanCost | undefined {
  if (prices.length === 0) return undefined
  const priceOf = pricing(prices)
  const unpriced = new Map<string, number>()
  let before: Amount = 0n
  let after: Amount = 0n
  for (const { resourceType, ...sides } of resources) {
    const was = isThere(sides.before) ? priceOf(resourceType, sides.before) : 0n
    const is = isThere(sides.after) ? priceOf(resourceType, sides.after) : 0n
    before += was ?? 0n
    after += is ?? 0n
    if (was === undefined || is === undefined) unpriced.set(resourceType, (unpriced.get(resourceType) ?? 0) + 1)
  }
  const types = [...unpriced].map(([resourceType, count]) => ({ resourceType, count }))
  return {
    currency,
    monthlyBefore: decimalOf(before),
    monthlyAfter: decimalOf(after),
    monthlyDifference: decimalOf(after - before),
    unpricedCount: types.reduce((sum, { count }) => sum + count, 0),
    unpriced: types
      .toSorted((a, b) => b.count - a.count || (a.resourceType < b.resourceType ? -1 : 1))
      .slice(0, mostTypes),
  }
}

const isThere = (side: unknown): boolean => side !== null && side !== undefined

/**
 * Finds the price of a resource: of those that fit the one with the most conditions, of these the first. A value that
 * is hidden, or known only once the plan is applied, fits none.
 */
function pricing(prices: readonly Price[]): (resourceType: string, attributes: unknown) => Amount | undefined {
  const candidates = prices.map(({ resourceType, where = {}, monthly }) => ({
    resourceType,
    conditions: Object.entries(where),
    monthly: amountOf(monthly),
  }))
  const byType = Map.groupBy(
    candidates.toSorted((a, b) => b.conditions.length - a.conditions.length),
    ({ resourceType }) => resourceType,
  )
  return (resourceType, attributes) => {
    const ofType = byType.get(resourceType) ?? []
    const asks = ofType.some(({ conditions }) => conditions.length > 0)
    const values = new Map(asks ? attributesOf(attributes).map(({ path, value }) => [path, value]) : [])
    return ofType.find(({ conditions }) => conditions.every(([path, value]) => values.get(path) === value))?.monthly
  }
}
