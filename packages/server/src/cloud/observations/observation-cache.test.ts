import { expect, test } from 'vitest'
import { AccountRateLimited, ObservationCache } from './observation-cache.ts'

function startLooks() {
  let time = 0
  const waits: number[] = []
  const looks = new ObservationCache<string>({
    cacheTtlMs: 5_000,
    minIntervalMs: 500,
    maxWaitMs: 2_000,
    now: () => time,
    clock: () => new Date(time),
    wait: async (ms) => waits.push(ms),
  })
  const asked: string[] = []
  const look = (key: string, account = 'a') =>
    looks.get(account, key, async () => {
      asked.push(key)
      return `${key} at ${time}`
    })
  return { look, asked, waits, pass: (ms: number) => (time += ms) }
}

test('a read soon after another returns the cached value', async () => {
  const { look, asked, pass } = startLooks()
  const first = await look('web')
  pass(4_999)
  expect(await look('web')).toBe(first)
  pass(1)
  expect((await look('web')).value).toBe('web at 5000')
  expect(asked).toEqual(['web', 'web'])
})

test('concurrent reads of the same key share one request', async () => {
  const { look, asked } = startLooks()
  await Promise.all(Array.from({ length: 100 }, () => look('web')))
  expect(asked).toEqual(['web'])
})

test('requests to one account are spaced; other accounts do not wait', async () => {
  const { look, waits } = startLooks()
  await Promise.all([look('one'), look('two'), look('three'), look('other', 'b')])
  expect(waits).toEqual([500, 1_000])
})

test('when the wait would be too long, an older value is returned, or an error if there is none', async () => {
  const { look, pass } = startLooks()
  const old = await look('web')
  pass(10_000)
  await Promise.all(['1', '2', '3', '4', '5'].map((key) => look(key)))
  expect(await look('web')).toBe(old)
  await expect(look('new')).rejects.toThrow(AccountRateLimited)
})

test('a failure is not cached', async () => {
  const looks = new ObservationCache<string>({
    cacheTtlMs: 5_000,
    minIntervalMs: 0,
    maxWaitMs: 0,
    now: () => 0,
    wait: async () => {},
    clock: () => new Date(),
  })
  const failing = () => Promise.reject(new Error('away'))
  await expect(looks.get('a', 'web', failing)).rejects.toThrow('away')
  expect((await looks.get('a', 'web', async () => 'back')).value).toBe('back')
})
