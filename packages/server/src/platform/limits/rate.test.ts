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

test('an idle key gets a burst of ten seconds, then its steady rate', () => {
  const { rate, wait } = clocked(5)
  for (let count = 0; count < 50; count += 1) expect(rate.take('a')).toBe(0)
  expect(rate.take('a')).toBeCloseTo(200)
  wait(199)
  expect(rate.take('a')).toBeGreaterThan(0)
  wait(1)
  expect(rate.take('a')).toBe(0)
  expect(rate.take('a')).toBeGreaterThan(0)
})

test('keys have separate buckets, and a rejected request takes no tokens', () => {
  const { rate, wait } = clocked(1)
  for (let count = 0; count < 10; count += 1) rate.take('a')
  for (let count = 0; count < 100; count += 1) expect(rate.take('a')).toBeCloseTo(1_000)
  expect(rate.take('b')).toBe(0)
  wait(1_000)
  expect(rate.take('a')).toBe(0)
})

test('a request that costs more than a burst is admitted once the bucket is full', () => {
  const { rate, wait } = clocked(2)
  expect(rate.take('a', 1_000)).toBe(0)
  expect(rate.take('a')).toBeCloseTo(500)
  wait(10_000)
  expect(rate.take('a', 1_000)).toBe(0)
})

test('a key never gets more than a burst plus the refilled tokens', () => {
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

test('the usage is an average per second', () => {
  const { rate, wait } = clocked(10)
  expect(rate.usedPerSecond('a')).toBe(0)
  for (let count = 0; count < 50; count += 1) rate.take('a')
  expect(rate.usedPerSecond('a')).toBe(5)
  wait(60_000)
  expect(rate.usedPerSecond('a')).toBe(0)
})
