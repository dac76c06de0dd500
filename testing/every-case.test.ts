import { expect, test } from 'vitest'
import { everyCase } from './every-case.ts'

const isEven = (number: number) => expect(number % 2).toBe(0)

test('a table without a failing case passes', () => expect(everyCase([2, 4], isEven)()).resolves.toBeUndefined())

test('every failing case is listed in the order of the table', async () => {
  const failed = everyCase([1, 2, 3], isEven, { name: (number) => `number ${number}`, concurrency: 3 })()
  await expect(failed).rejects.toThrow(/^2 of 3 cases failed:\n- number 1: .*\n- number 3: .*$/)
})

test('a row that is an array becomes the arguments, and its primitive values become its name', async () => {
  const rows: [string, { n: number }, number][] = [['one', { n: 1 }, 2]]
  const failed = everyCase(rows, (_, { n }, expected) => expect(n).toBe(expected))()
  await expect(failed).rejects.toThrow('- "one", 2: expected 1 to be 2')
})

test('a table without cases fails', () => expect(everyCase([], isEven)()).rejects.toThrow('the table has no cases'))

test('no more cases run concurrently than allowed', async () => {
  let running = 0
  let maxRunning = 0
  const check = async () => {
    running += 1
    maxRunning = Math.max(maxRunning, running)
    await Promise.resolve()
    running -= 1
  }
  await everyCase([1, 2, 3, 4, 5], check, { concurrency: 2 })()
  expect(maxRunning).toBe(2)
})
