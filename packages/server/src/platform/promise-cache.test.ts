import { expect, test } from 'vitest'
import { PromiseCache } from './promise-cache.ts'

test('concurrent calls for one key share one read', async () => {
  const cache = new PromiseCache<string>({ max: 10 })
  const reads: PromiseWithResolvers<string>[] = []
  const read = () => {
    const next = Promise.withResolvers<string>()
    reads.push(next)
    return next.promise
  }
  const answers = [cache.get(['a', 'b'], read), cache.get(['a', 'b'], read), cache.get(['a,b'], read)]
  expect(reads, 'one read for each key').toHaveLength(2)
  reads[0]?.resolve('first')
  reads[1]?.resolve('second')
  expect(await Promise.all(answers)).toEqual(['first', 'first', 'second'])
  expect(await cache.get(['a', 'b'], read)).toBe('first')
})

test('a result expires by its clock, counted from the start of the read', async () => {
  let nowMs = 0
  const cache = new PromiseCache<number>({ max: 10, ttlMs: 900, nowMs: () => nowMs })
  const slow = Promise.withResolvers<number>()
  const first = cache.get(['key'], () => slow.promise)
  nowMs += 800
  slow.resolve(1)
  expect(await first).toBe(1)
  expect(await cache.get(['key'], async () => 2)).toBe(1)
  nowMs += 101
  expect(await cache.get(['key'], async () => 3)).toBe(3)
})

test('concurrent callers share failures and undefined, and later callers do not reuse them', async () => {
  const cache = new PromiseCache<string | undefined>({ max: 10 })
  const failed = () => Promise.reject(new Error('unreachable'))
  await Promise.allSettled([cache.get(['key'], failed), cache.get(['key'], failed)])
  expect(await cache.get(['key'], async () => undefined)).toBeUndefined()
  expect(await cache.get(['key'], async () => 'found')).toBe('found')
  expect(await cache.get(['key'], failed)).toBe('found')
})

test('a failed read does not remove the result of a newer read', async () => {
  const cache = new PromiseCache<string>({ max: 10 })
  const slow = Promise.withResolvers<string>()
  const old = cache.get(['key'], () => slow.promise)
  cache.clear()
  await cache.get(['key'], async () => 'new')
  slow.reject(new Error('too late'))
  await expect(old).rejects.toThrow('too late')
  expect(await cache.get(['key'], async () => 'newer')).toBe('new')
})

test('the least recently used entry is evicted beyond the maximum', async () => {
  const cache = new PromiseCache<number>({ max: 2 })
  await cache.get(['a'], async () => 1)
  await cache.get(['b'], async () => 1)
  await cache.get(['a'], async () => 2)
  await cache.get(['c'], async () => 1)
  expect(await cache.get(['a'], async () => 2)).toBe(1)
  expect(await cache.get(['b'], async () => 2)).toBe(2)
})
