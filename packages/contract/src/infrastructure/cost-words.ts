import type { PlanCost } from './price-list.ts'

/** Maximum number of types without a price to name on one line. */
const maxNamedTypes = 3

/** Returns the cost of a plan on one line: the monthly difference, and the resources without a price. */
export function costInWords(cost: PlanCost): string {
  return [moneyInWords(cost), unpricedInWords(cost)].filter(Boolean).join('; ')
}

function moneyInWords({ currency, monthlyBefore, monthlyAfter, monthlyDifference }: PlanCost): string {
  if (monthlyBefore === monthlyAfter) return `${monthlyAfter} ${currency} per month, unchanged`
  const isLess = monthlyDifference.startsWith('-')
  const change = isLess ? `${monthlyDifference.slice(1)} ${currency} less` : `${monthlyDifference} ${currency} more`
  return `${change} per month: ${monthlyAfter} instead of ${monthlyBefore}`
}

function unpricedInWords({ unpricedCount, unpriced }: PlanCost): string | undefined {
  if (unpricedCount === 0) return undefined
  const named = unpriced.slice(0, maxNamedTypes)
  const types = named.map(({ resourceType, count }) => `${resourceType} ${count}`)
  const more = unpriced.length > named.length ? ['…'] : []
  return `no price for ${unpricedCount} (${[...types, ...more].join(', ')})`
}
