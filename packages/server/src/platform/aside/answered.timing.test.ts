import { expect, test } from 'vitest'
import { budgetMs, getWorkerResult, runWithWorkerResults } from './answered.ts'

const counting = new URL('./counting.fixture.ts', import.meta.url)
const count = (to: number) => getWorkerResult<number>(counting, { to })

test('work receives its reply from the worker thread and continues', async () => {
  const rounds: number[] = []
  const sum = await runWithWorkerResults('a', async () => {
    rounds.push(rounds.length)
    const one = count(10)
    const other = count(20)
    return 'result' in one && 'result' in other ? one.result + other.result : undefined
  })
  expect(sum).toBe(30)
  expect(rounds).toEqual([0, 1, 2])
})

test('a question outside of `answered` throws an error that says so', () => {
  expect(() => count(1)).toThrow('forgotten')
})

test('all that is asked for one request has one budget, and the main thread is free meanwhile', async () => {
  let beats = 0
  const beating = setInterval(() => {
    beats += 1
  }, 20)
  const troubles = await runWithWorkerResults(
    'a',
    async () => [count(Number.POSITIVE_INFINITY), getWorkerResult(counting, { to: 1e15 })] as object[],
  )
  clearInterval(beating)
  const [first, second] = troubles.map(({ trouble }: { trouble?: string }) =>
    Number(trouble?.match(/after (\d+) ms/)?.[1]),
  )
  expect(first).toBe(budgetMs)
  expect(second).toBeLessThan(budgetMs / 2)
  expect(beats).toBeGreaterThan(5)
})

test('a thread that ran out of memory is replaced', async () => {
  const greedy = await runWithWorkerResults('a', async () => getWorkerResult(counting, { to: 3, isGreedy: true }))
  expect(greedy).toEqual({ trouble: expect.stringContaining('memory') })
  expect(await runWithWorkerResults('a', async () => count(3))).toEqual({ result: 3 })
})

test('a flood of one tenant holds up another by one order at most', async () => {
  const order: string[] = []
  const flood = Array.from({ length: 5 }, (_, index) =>
    runWithWorkerResults('a', async () => getWorkerResult(counting, { to: 1e15 + index * 10 })).then(() =>
      order.push('a'),
    ),
  )
  const other = runWithWorkerResults('b', async () => count(4)).then(() => order.push('b'))
  await Promise.all([...flood, other])
  expect(order.indexOf('b')).toBeLessThanOrEqual(1)
})
