import type { PlanCost, Price, PriceList } from '@sluice/contract'
import { attributesOf } from '../iac-steps/attributes.ts'
import { type Amount, amountOf, decimalOf } from './amount.ts'

/** Resource of a plan for pricing, before and after; null if it does not exist then. */
export type Priced = { resourceType: string; before: unknown; after: unknown }

/** Maximum number of resource types without a price to list. The count covers all of them. */
const maxTypes = 100

/** Returns the cost before and after a plan, or undefined without a price list. */
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
      .slice(0, maxTypes),
  }
}

/** Seconds of an average month, by which monthly prices are divided. */
const monthSeconds = 730 * 3_600

/** Returns a function that computes the cost of a resource for some seconds; undefined if it has no price. */
export function costPerTime(
  { currency, prices }: PriceList,
  { resourceType, attributes }: { resourceType: string; attributes: unknown },
): ((seconds: number) => { currency: string; amount: string }) | undefined {
  const monthly = pricing(prices)(resourceType, attributes)
  if (monthly === undefined) return undefined
  return (seconds) => ({ currency, amount: decimalOf((monthly * BigInt(seconds)) / BigInt(monthSeconds)) })
}

const isThere = (side: unknown): boolean => side !== null && side !== undefined

/**
 * Returns a function that finds a resource's price: the match with the most conditions, and the first of equals. Masked
 * and unknown values match no condition.
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
