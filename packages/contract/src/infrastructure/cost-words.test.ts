import { expect, test } from 'vitest'
import { costInWords } from './cost-words.ts'

const words = (monthlyBefore: string, monthlyAfter: string, monthlyDifference: string, types: string[] = []) =>
  costInWords({
    currency: 'EUR',
    monthlyBefore,
    monthlyAfter,
    monthlyDifference,
    unpricedCount: types.length,
    unpriced: types.map((resourceType) => ({ resourceType, count: 1 })),
  })

test('the cost of a plan rises, falls or stays the same, and resources without a price are named', () => {
  expect(words('12.00', '72.74', '60.74')).toBe('60.74 EUR more per month: 72.74 instead of 12.00')
  expect(words('12.00', '0.00', '-12.00')).toBe('12.00 EUR less per month: 0.00 instead of 12.00')
  expect(words('12.00', '12.00', '0.00', ['queue'])).toBe('12.00 EUR per month, unchanged; no price for 1 (queue 1)')
  expect(words('1.00', '1.00', '0.00', ['a', 'b', 'c', 'd'])).toMatch(/no price for 4 \(a 1, b 1, c 1, …\)$/)
})
