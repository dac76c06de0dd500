import { expect, test } from 'vitest'
import { RateController } from './rate-controller.ts'

const targetMs = 500

/** A controller on a clock of its own; each second, so many leave its queue after such a delay. */
function clocked() {
  let nowMs = 0
  const controller = new RateController({ targetMs, nowMs: () => nowMs })
  const pass = (seconds: number, { left = 10, delayMs = 0, asked = 40 } = {}) => {
    for (let second = 0; second < seconds; second += 1) {
      for (let count = 0; count < asked; count += 1) controller.countRequest()
      for (let count = 0; count < left; count += 1) controller.observe('starts', delayMs)
      nowMs += 1_000
    }
  }
  return { controller, pass }
}

test('nothing is limited while delays are short', () => {
  const { controller, pass } = clocked()
  pass(10, { delayMs: targetMs })
  expect(controller.rate).toBe(Number.POSITIVE_INFINITY)
})

test('while all wait too long, less is admitted than leaves the queue', () => {
  const { controller, pass } = clocked()
  pass(5, { left: 20, delayMs: 900 })
  expect(controller.rate).toBeCloseTo(0.9 * 20)
  expect(controller.delayMs).toBe(900)
  pass(5, { left: 8, delayMs: 900 })
  expect(controller.rate, 'it does not fall because less was admitted').toBeCloseTo(0.9 * 20)
  pass(20, { left: 8, delayMs: 900 })
  expect(controller.rate, 'it falls if the service has become slower').toBeCloseTo(0.9 * 8, 0)
})

test('a queue that was short once in an interval is no overload', () => {
  const { controller, pass } = clocked()
  for (let second = 0; second < 5; second += 1) {
    controller.observe('starts', 10)
    pass(1, { delayMs: 5_000 })
  }
  expect(controller.rate).toBe(Number.POSITIVE_INFINITY)
})

test('a few delays are no overload, but one is enough for it to last', () => {
  const { controller, pass } = clocked()
  pass(5, { left: 2, delayMs: 5_000 })
  expect(controller.rate).toBe(Number.POSITIVE_INFINITY)
  pass(1, { left: 3, delayMs: 5_000 })
  const limited = controller.rate
  expect(limited).toBeLessThan(3)
  pass(1, { left: 1, delayMs: 5_000 })
  expect(controller.rate).toBe(limited)
})

test('short delays in one queue do not hide long ones in another', () => {
  const { controller, pass } = clocked()
  for (let count = 0; count < 10; count += 1) controller.observe('connections', 0)
  pass(1, { delayMs: 5_000 })
  expect(controller.rate).toBeLessThan(10)
})

test('what waited for something else counts as left, not as delayed', () => {
  const { controller, pass } = clocked()
  for (let count = 0; count < 10; count += 1) controller.observe('starts', undefined)
  pass(1, { left: 10, delayMs: 900 })
  expect(controller.rate).toBeCloseTo(0.9 * 20)
})

test('the rate rises when the queue is short, and the limit goes when twice as much would be admitted as is asked for', () => {
  const { controller, pass } = clocked()
  pass(1, { left: 20, delayMs: 900 })
  const limited = controller.rate
  pass(3)
  expect(controller.rate).toBeCloseTo(limited * 1.15 ** 3)
  pass(1, { asked: 5 })
  expect(controller.rate).toBe(Number.POSITIVE_INFINITY)
})

test('a limit does not outlive a pause', () => {
  const { controller, pass } = clocked()
  pass(1, { left: 20, delayMs: 900 })
  pass(5, { left: 0, asked: 0 })
  expect(controller.rate).toBe(Number.POSITIVE_INFINITY)
})

test('something is always admitted, so that the delay can be measured', () => {
  const { controller, pass } = clocked()
  pass(1, { left: 3, delayMs: 60_000 })
  pass(30, { left: 1, delayMs: 60_000 })
  expect(controller.rate).toBe(1)
})
