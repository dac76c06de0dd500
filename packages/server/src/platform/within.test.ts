import { expect, test } from 'vitest'
import { withSyncTimeout } from './within.ts'

test('work that ends in time returns its result or its error message', () => {
  expect(withSyncTimeout(1_000, () => 1 + 1)).toEqual({ result: 2 })
  const failing = () => {
    throw new Error('no')
  }
  expect(withSyncTimeout(1_000, failing)).toEqual({ trouble: 'no' })
})

test('endless work is interrupted, even inside a regular expression', () => {
  const endless = () => /^(a+)+$/.test(`${'a'.repeat(60)}!`)
  expect(withSyncTimeout(50, endless)).toEqual({ trouble: 'it was given up after 50 ms' })
})

test('time without processor time does not count toward the timeout', () => {
  let tries = 0
  const keptWaiting = () => {
    tries += 1
    if (tries <= 2) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10_000)
    return 'done'
  }
  expect(withSyncTimeout(50, keptWaiting)).toEqual({ result: 'done' })
  expect(tries).toBe(3)
})

test('work that never gets processor time is interrupted after the retries', () => {
  const idle = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 60_000)
  expect(withSyncTimeout(20, idle)).toEqual({ trouble: 'it was given up after 20 ms' })
})
