import { expect, test } from 'vitest'
import { slownessOf } from './slowness.ts'

test('limits grow with the time of the slower probe, up to a maximum', () => {
  expect(slownessOf([800, 800])).toBe(1)
  expect(slownessOf([800, 1_600])).toBe(2)
  expect(slownessOf([450, 500]), 'a faster machine keeps the limits').toBe(1)
  expect(slownessOf([90_000, 800])).toBe(2.5)
})
