import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { newerThan, type PastDeployment, releaseOrder, wasLiveBefore } from './release-order.ts'

const at = (minute: number) => new Date(minute * 60_000)

/** Creates a deployment that succeeded in this minute, or that did not succeed if the minute is null. */
const past = (id: string, minute: number | null, change: Partial<PastDeployment> = {}): PastDeployment => ({
  id,
  deploymentType: 'cloud:ecs',
  repeats: null,
  artifact: null,
  isExternal: false,
  succeededAt: minute === null ? null : at(minute),
  ...change,
})

describe('the releases of an instance', () => {
  test('a rollback serves the release that it returned to', () => {
    const order = releaseOrder([past('v2', 1), past('v3', 2), past('back', 3, { repeats: 'v2' })])
    expect(order.live?.id).toBe('back')
    expect(order.firstSuccessOf('back')).toEqual(at(1))
    expect(newerThan(order, 'v3')?.id).toBe('back')
    expect(newerThan(order, 'v2')).toBe(undefined)
  })

  test('a release that first failed and was deployed again is as old as its first success, by whichever deployment', () => {
    const order = releaseOrder([
      past('v2', null),
      past('again', 1, { repeats: 'v2' }),
      past('v3', 2),
      past('once more', 3, { repeats: 'v2' }),
    ])
    expect(order.firstSuccessOf('once more')).toEqual(at(1))
    expect(newerThan(order, 'v3')?.id).toBe('once more')
    expect(wasLiveBefore(order, 'once more', { completedAt: at(2) })).toBe(true)
    expect(wasLiveBefore(order, 'v3', { completedAt: at(2) })).toBe(false)
  })

  test('an external deployment serves the release whose artifact it deployed', () => {
    const order = releaseOrder([
      past('v2', 1, { artifact: 'a' }),
      past('v3', 2, { artifact: 'b' }),
      past('outside', 3, { artifact: 'a', isExternal: true }),
    ])
    expect(newerThan(order, 'v3')?.id).toBe('outside')
    // A new build of the same artifact is a release of its own, because it has passed the gates.
    const rebuilt = releaseOrder([past('v2', 1, { artifact: 'a' }), past('v3', 2), past('v4', 3, { artifact: 'a' })])
    expect(newerThan(rebuilt, 'v3')).toBe(undefined)
  })

  test('without a success, no release is live or newer', () => {
    const order = releaseOrder([past('v1', null)])
    expect(order.live).toBe(undefined)
    expect(newerThan(order, 'v1')).toBe(undefined)
    expect(wasLiveBefore(order, 'v1', { completedAt: null })).toBe(false)
  })
})

test('no number of rollbacks makes the live release newer', () => {
  const steps = fc.array(fc.nat(), { minLength: 1, maxLength: 30 })
  const check = (releases: number, picks: readonly number[]) => {
    const history = Array.from({ length: releases }, (_, n) => past(`v${n}`, n))
    for (const [n, pick] of picks.entries()) {
      const order = releaseOrder(history)
      const allowed = order.successes.filter(({ id }) => !newerThan(order, id))
      const to = allowed[pick % allowed.length]
      if (!to) throw new Error('what runs can always be returned to')
      history.push(past(`back ${n}`, releases + n, { repeats: to.id }))
      const [before, after] = [order, releaseOrder(history)].map(({ live, firstSuccessOf }) =>
        firstSuccessOf(live?.id ?? '')?.getTime(),
      )
      expect(after ?? 0).toBeLessThanOrEqual(before ?? 0)
    }
  }
  fc.assert(fc.property(fc.integer({ min: 1, max: 8 }), steps, check))
})
