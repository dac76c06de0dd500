import { expect, test } from 'vitest'
import { type Result, runAll } from './run-all.ts'

test('every item has a result, also after a failure, and only a few run at once', async () => {
  const results = new Map<number, Result<number>>()
  const started: number[] = []
  let [running, most] = [0, 0]
  const double = async (item: number) => {
    running += 1
    most = Math.max(most, running)
    await Promise.resolve()
    running -= 1
    if (item === 2) throw new Error('two is refused')
    return 2 * item
  }
  await runAll([1, 2, 3, 4, 5], double, {
    concurrency: 2,
    onStart: (item) => started.push(item),
    onResult: (item, result) => results.set(item, result),
  })
  expect(started).toEqual([1, 2, 3, 4, 5])
  expect(most).toBe(2)
  expect([...results]).toEqual(
    expect.arrayContaining([
      [1, { value: 2 }],
      [2, { error: new Error('two is refused') }],
      [5, { value: 10 }],
    ]),
  )
  expect(results.size).toBe(5)
})

test('nothing runs without items', async () => {
  const fail = () => Promise.reject(new Error('nothing should run'))
  await runAll([], fail, { concurrency: 4, onStart: () => {}, onResult: () => {} })
})
