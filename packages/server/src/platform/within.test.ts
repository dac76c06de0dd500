import { expect, test } from 'vitest'
import { within } from './within.ts'

test('work that is done in time gives its result, and an error its message', () => {
  expect(within(1_000, () => 1 + 1)).toEqual({ result: 2 })
  const failing = () => {
    throw new Error('no')
  }
  expect(within(1_000, failing)).toEqual({ trouble: 'no' })
})

test('work without end is given up, also amid a regular expression', () => {
  const endless = () => /^(a+)+$/.test(`${'a'.repeat(60)}!`)
  expect(within(50, endless)).toEqual({ trouble: 'it was given up after 50 ms' })
})

test('the time in which the process had no processor does not count', () => {
  let tries = 0
  const keptWaiting = () => {
    tries += 1
    if (tries <= 2) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10_000)
    return 'done'
  }
  expect(within(50, keptWaiting)).toEqual({ result: 'done' })
  expect(tries).toBe(3)
})

test('a process that never gets the processor is not kept by one piece of work', () => {
  const idle = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 60_000)
  expect(within(20, idle)).toEqual({ trouble: 'it was given up after 20 ms' })
})
