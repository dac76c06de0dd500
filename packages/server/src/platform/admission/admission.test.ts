import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Admission, fairShare } from './admission.ts'

/** Organizations with what each asks for per second, and a service that starts so many deployments. */
function clocked() {
  let nowMs = 0
  const admission = new Admission({ targetMs: 500, nowMs: () => nowMs })
  const second = (asks: Record<string, number>, { delayMs = 0, starts = 20, requestClass = 'work' as const } = {}) => {
    const all = Object.entries(asks)
    const result = new Map(all.map(([name]) => [name, { admitted: 0, rejected: 0 }]))
    const steps = 100
    for (let step = 0; step < steps; step += 1) {
      for (const [name, perSecond] of all) {
        const count = Math.floor(((step + 1) * perSecond) / steps) - Math.floor((step * perSecond) / steps)
        const seen = result.get(name)
        for (let one = 0; one < count && seen; one += 1) {
          if (admission.request(requestClass, name)) seen.rejected += 1
          else seen.admitted += 1
        }
      }
      nowMs += 1_000 / steps
    }
    for (let one = 0; one < starts; one += 1) {
      admission.observe(requestClass, all[one % all.length]?.[0] ?? '', 'starts', delayMs)
    }
    return Object.fromEntries(result)
  }
  return { admission, second }
}

test('without overload, all is admitted', () => {
  const { second } = clocked()
  for (let count = 0; count < 5; count += 1) expect(second({ a: 100 }).a).toEqual({ admitted: 100, rejected: 0 })
})

test('if everyone waits, the organization that asks for most is limited, and others are not', () => {
  const { second } = clocked()
  const asks = { greedy: 40, a: 3, b: 3 }
  for (let count = 0; count < 10; count += 1) second(asks, { delayMs: 2_000 })
  const { greedy, a, b } = second(asks, { delayMs: 2_000 })
  expect([a?.rejected, b?.rejected]).toEqual([0, 0])
  expect(greedy?.admitted).toBeGreaterThan(5)
  expect(greedy?.admitted).toBeLessThanOrEqual(12) // 0.9 × 20 that start, less 6
})

test('if everyone asks for more than their share, all are limited', () => {
  const { second } = clocked()
  const asks = { a: 40, b: 40 }
  for (let count = 0; count < 10; count += 1) second(asks, { delayMs: 2_000 })
  const { a, b } = second(asks, { delayMs: 2_000 })
  for (const one of [a, b]) expect(one?.admitted).toBeLessThanOrEqual(10)
  for (const one of [a, b]) expect(one?.admitted).toBeGreaterThanOrEqual(7)
})

test('an organization whose own requests wait is limited alone', () => {
  const { admission, second } = clocked()
  for (let count = 0; count < 5; count += 1) {
    for (let one = 0; one < 10; one += 1) admission.observe('work', 'greedy', 'connections', 3_000)
    admission.observe('work', 'other', 'connections', 0)
    second({ greedy: 40, other: 40 }, { starts: 0 })
  }
  const rejection = admission.request('work', 'greedy')
  expect(rejection).toMatchObject({ reason: 'organization', delayMs: 3_000, retryAfterS: 3 })
  expect(admission.request('work', 'other')).toBeUndefined()
})

test('delays of work do not limit reads, and nothing limits control', () => {
  const { admission, second } = clocked()
  for (let count = 0; count < 10; count += 1) second({ a: 100 }, { delayMs: 5_000, starts: 5 })
  expect(admission.request('work', 'a')).toMatchObject({ reason: 'organization' })
  for (let count = 0; count < 100; count += 1) {
    expect(admission.request('read', 'a')).toBeUndefined()
    expect(admission.request('control', 'a')).toBeUndefined()
  }
})

test('callers are asked to wait as long as the queue, but at most a minute', () => {
  const { admission, second } = clocked()
  const retryAfterS = (delayMs: number) => {
    for (let count = 0; count < 2; count += 1) second({ a: 100 }, { delayMs })
    for (;;) {
      const rejection = admission.request('work', 'a')
      if (rejection) return rejection.retryAfterS
    }
  }
  expect(retryAfterS(7_200)).toBe(8)
  expect(retryAfterS(300_000)).toBe(60)
})

test('shares are fair: no organization gets more than it asked for, and the rest goes to the others', () => {
  expect(fairShare(20, [3, 40, 3])).toBe(14)
  expect(fairShare(20, [40, 40])).toBe(10)
  expect(fairShare(20, [])).toBe(20)
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1_000 }), fc.array(fc.nat(500), { minLength: 1 }), (rate, asked) => {
      const share = fairShare(rate, asked)
      const used = asked.reduce((sum, one) => sum + Math.min(one, share), 0)
      expect(used).toBeLessThanOrEqual(rate + 1e-6)
      const total = asked.reduce((sum, one) => sum + one, 0)
      if (total >= rate) expect(used).toBeCloseTo(rate)
    }),
  )
})
