import type { PlanCost } from './price-list.ts'

/** So many types without a price are named where there is room for a line. */
const mostNamed = 3

/** What a plan costs, in a line for people: how much more or less a month, and what is not in that. */
export function costInWords(cost: PlanCost): string {
  return [moneyInWords(cost), unpricedInWords(cost)].filter(Boolean).join('; ')
}

function moneyInWords({ currency, monthlyBefore, monthlyAfter, monthlyDifference }: PlanCost): string {
  if (monthlyBefore === monthlyAfter) return `${monthlyAfter} ${currency} a month, as before`
  const isLess = monthlyDifference.startsWith('-')
  const change = isLess ? `${monthlyDifference.slice(1)} ${currency} less` : `${monthlyDifference} ${currency} more`
  return `${change} a month: ${monthlyAfter} instead of ${monthlyBefore}`
}

function unpricedInWords({ unpricedCount, unpriced }: PlanCost): string | undefined {
  if (unpricedCount === 0) return undefined
  const named = unpriced.slice(0, mostNamed)
  const types = named.map(({ resourceType, count }) => `${resourceType} ${count}`)
  const more = unpriced.length > named.length ? ['…'] : []
  return `no price is known of ${unpricedCount} (${[...types, ...more].join(', ')})`
}
