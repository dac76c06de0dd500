import fc from 'fast-check'
import { expect, test } from 'vitest'
import { burstSeconds, Rate } from './rate.ts'

function clocked(perSecond: number) {
  let nowMs = 0
  const rate = new Rate(perSecond, () => nowMs)
  const wait = (ms: number) => {
    nowMs += ms
  }
  return { rate, wait }
}

test('after a rest, ten seconds’ worth are let through at once, then as many as come back', () => {
  const { rate, wait } = clocked(5)
  for (let count = 0; count < 50; count += 1) expect(rate.take('a')).toBe(0)
  expect(rate.take('a')).toBeCloseTo(200)
  wait(199)
  expect(rate.take('a')).toBeGreaterThan(0)
  wait(1)
  expect(rate.take('a')).toBe(0)
  expect(rate.take('a')).toBeGreaterThan(0)
})

test('keys do not meet, and who was refused lost nothing', () => {
  const { rate, wait } = clocked(1)
  for (let count = 0; count < 10; count += 1) rate.take('a')
  for (let count = 0; count < 100; count += 1) expect(rate.take('a')).toBeCloseTo(1_000)
  expect(rate.take('b')).toBe(0)
  wait(1_000)
  expect(rate.take('a')).toBe(0)
})

test('what costs more than a burst is let through after a rest, instead of never', () => {
  const { rate, wait } = clocked(2)
  expect(rate.take('a', 1_000)).toBe(0)
  expect(rate.take('a')).toBeCloseTo(500)
  wait(10_000)
  expect(rate.take('a', 1_000)).toBe(0)
})

test('never more than a burst and what has come back since', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 50 }),
      fc.array(fc.record({ waitMs: fc.nat(3_000), count: fc.integer({ min: 1, max: 20 }) }), { maxLength: 200 }),
      (perSecond, steps) => {
        const { rate, wait } = clocked(perSecond)
        let passedMs = 0
        let taken = 0
        for (const { waitMs, count } of steps) {
          wait(waitMs)
          passedMs += waitMs
          if (count <= perSecond * burstSeconds && rate.take('a', count) === 0) taken += count
        }
        expect(taken).toBeLessThanOrEqual(perSecond * (burstSeconds + passedMs / 1_000) + 1e-6)
      },
    ),
  )
})

test('what is used is told as an average', () => {
  const { rate, wait } = clocked(10)
  expect(rate.usedPerSecond('a')).toBe(0)
  for (let count = 0; count < 50; count += 1) rate.take('a')
  expect(rate.usedPerSecond('a')).toBe(5)
  wait(60_000)
  expect(rate.usedPerSecond('a')).toBe(0)
})
