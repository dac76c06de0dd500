import { expect, test } from 'vitest'
import { chance, seedChance } from './chance.ts'

test('the same seed produces the same sequence, and another seed another', () => {
  const luck = (seed: number) => {
    seedChance(seed)
    return Array.from({ length: 1000 }, chance)
  }
  const first = luck(7)
  expect(luck(7)).toEqual(first)
  expect(luck(8)).not.toEqual(first)
  expect(Math.min(...first)).toBeGreaterThanOrEqual(0)
  expect(Math.max(...first)).toBeLessThan(1)
  expect(first.reduce((sum, one) => sum + one) / first.length).toBeCloseTo(0.5, 1)
})
