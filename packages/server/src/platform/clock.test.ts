import { expect, test } from 'vitest'
import { createFastClock, systemClock } from './clock.ts'

const hourMs = 3_600_000

test('the system clock shows the real time and does not scale durations', () => {
  expect(systemClock.now().getTime()).toBeCloseTo(Date.now(), -3)
  expect([systemClock.realMs(hourMs), systemClock.elapsedMs(hourMs)]).toEqual([hourMs, hourMs])
})

test('a fast clock runs through an hour in seconds', () => {
  const clock = createFastClock(1_200, new Date())
  expect(clock.realMs(hourMs)).toBe(3_000)
  expect(clock.elapsedMs(1_000)).toBe(20 * 60_000)
})

test('processes with the same epoch agree on the time, whenever they started', () => {
  const epoch = new Date(Date.now() - 60_000)
  const [one, another] = [createFastClock(60, epoch), createFastClock(60, epoch)]
  expect(one.now().getTime() - epoch.getTime()).toBeGreaterThanOrEqual(hourMs)
  expect(another.now().getTime() - one.now().getTime()).toBeLessThan(60 * 1_000)
})
