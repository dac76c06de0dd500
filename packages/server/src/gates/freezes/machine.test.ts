import type { FreezeWindow } from '@sluice/contract'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { everyCase } from '../../../../../testing/every-case.ts'
import { isActiveAt, periodAt, windowFaults } from '../../platform/time-windows.ts'
import { concerns, covers, type Scope } from '../scope.ts'
import { type Freezes, findBlock, findWarnings } from './machine.ts'

const at = (text: string) => new Date(text)
const fridays = { cron: '0 16 * * 5', timeZone: 'Europe/Berlin' }

describe('a recurring window', () => {
  test.each([
    // Daylight saving time in Berlin starts on 2026-03-29 and ends on 2026-10-25.
    ['2026-03-27T15:00:00.000Z', '2026-03-30T06:00:00.000Z'],
    ['2026-10-23T14:00:00.000Z', '2026-10-26T07:00:00.000Z'],
    ['2026-06-05T14:00:00.000Z', '2026-06-08T06:00:00.000Z'],
  ])('of a weekend that begins at %s ends at the same time of day, at %s', (from, until) => {
    const window = { ...fridays, minutes: 64 * 60 }
    const period = { from: at(from), until: at(until) }
    const before = new Date(period.from.getTime() - 1)
    expect(periodAt(window, before)).toEqual(period)
    expect(isActiveAt(period, before)).toBe(false)
    expect(periodAt(window, period.from)).toEqual(period)
    expect(periodAt(window, new Date(period.until.getTime() - 1))).toEqual(period)
    expect(periodAt(window, period.until)?.from.getTime()).toBeGreaterThan(period.until.getTime())
  })

  test('of an hour lasts for an hour, even when the clocks change', () => {
    const window = { cron: '30 1 * * *', timeZone: 'Europe/Berlin', minutes: 60 }
    const from = at('2026-03-29T00:30:00Z')
    expect(periodAt(window, from)).toEqual({ from, until: at('2026-03-29T01:30:00Z') })
  })
})

const moment = fc.date({ min: at('2026-01-01T00:00:00Z'), max: at('2027-12-31T00:00:00Z'), noInvalidDate: true })
const zone = fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kolkata')
const recurring = fc.record({
  cron: fc.constantFrom('0 16 * * 5', '30 2 * * *', '0 0 1 * *', '15 1 * 3,10 0', '0 12 24 12 *'),
  timeZone: zone,
  minutes: fc.integer({ min: 1, max: 44_640 }),
})
const once = fc
  .tuple(moment, moment)
  .map(([one, other]) => [one, other].toSorted((a, b) => a.getTime() - b.getTime()))
  .map(([from, until]) => ({ from: from?.toISOString() ?? '', until: until?.toISOString() ?? '' }))
const window = fc.oneof<fc.Arbitrary<FreezeWindow>[]>(once, recurring)

const rule = (of: Partial<Freezes['freezes'][number]> = {}) => ({
  id: 'frz_1',
  name: 'Weekend',
  reason: null,
  window: { from: '2026-01-01T00:00:00Z', until: '2026-02-01T00:00:00Z' },
  stops: ['RELEASES' as const],
  mode: 'ENFORCE' as const,
  onRelease: 'WAIT' as const,
  afterwards: 'ALL' as const,
  projectId: null,
  environmentId: null,
  moduleInstanceId: null,
  ...of,
})
const inside = at('2026-01-15T00:00:00Z')
const place: Scope = { projectId: 'prj_1', environmentId: 'env_1', moduleInstanceId: 'mi_1' }
const release = { act: 'RELEASES', place, now: inside } as const

describe('a freeze', () => {
  test('blocks only within its window, and until its end', () => {
    fc.assert(
      fc.property(window, moment, (window, now) => {
        const stop = findBlock({ freezes: [rule({ window })], overrides: [] }, { ...release, now })
        const period = periodAt(window, now)
        expect(stop !== undefined).toBe(period !== undefined && period.from <= now && now < period.until)
        if (stop) expect(stop.until.getTime()).toBeGreaterThan(now.getTime())
        if (stop) expect(stop.until).toEqual(period?.until)
      }),
    )
  })

  test('has periods with an end, including the current one', () => {
    fc.assert(
      fc.property(recurring, moment, (window, now) => {
        const period = periodAt(window, now)
        if (!period) throw new Error('it recurs')
        expect(period.until > period.from).toBe(true)
        expect(period.until > now).toBe(true)
        if (period.from <= now) return
        const began = periodAt(window, period.from)
        expect(began?.from).toEqual(period.from)
      }),
    )
  })

  test('that is overridden blocks everything but what the override covers', () => {
    const id = fc.constantFrom('mi_1', 'mi_2', null)
    fc.assert(
      fc.property(id, moment, moment, (moduleInstanceId, until, now) => {
        const overrides = [{ freezeId: 'frz_1', until, moduleInstanceId }]
        const stop = findBlock({ freezes: [rule()], overrides }, { ...release, now })
        const isInside = now >= at('2026-01-01T00:00:00Z') && now < at('2026-02-01T00:00:00Z')
        expect(stop !== undefined).toBe(isInside && (now >= until || moduleInstanceId === 'mi_2'))
      }),
    )
  })

  test('is not affected by an override of another freeze', () => {
    const overrides = [{ freezeId: 'frz_2', until: at('2027-01-01T00:00:00Z') }]
    expect(findBlock({ freezes: [rule()], overrides }, release)).toMatchObject({ freezeId: 'frz_1' })
  })

  test('blocks only the configured actions', () => {
    const freezes = [rule({ stops: ['CONTINUES', 'ROLLBACKS'] })]
    const stopped = (['RELEASES', 'CONTINUES', 'ROLLBACKS'] as const).filter((act) =>
      findBlock({ freezes, overrides: [] }, { ...release, act }),
    )
    expect(stopped).toEqual(['CONTINUES', 'ROLLBACKS'])
  })

  test('that warns blocks nothing, and reports what it would have blocked', () => {
    const known = { freezes: [rule({ mode: 'WARN' })], overrides: [] }
    expect(findBlock(known, release)).toBeUndefined()
    expect(findWarnings(known, release)).toMatchObject([{ freezeId: 'frz_1', name: 'Weekend' }])
  })

  test('that ends last is the one that is reported', () => {
    const later = { from: '2026-01-10T00:00:00Z', until: '2026-03-01T00:00:00Z' }
    const freezes = [rule(), rule({ id: 'frz_2', window: later }), rule({ id: 'frz_3', onRelease: 'REJECT' })]
    const stop = findBlock({ freezes, overrides: [] }, release)
    expect(stop).toMatchObject({ freezeId: 'frz_2', until: at('2026-03-01T00:00:00Z'), isRefused: true })
  })
})

test(
  'a freeze applies to the instances in its scope',
  everyCase(
    [
      ['the organization', {}, true, true],
      ['its project', { projectId: 'prj_1' }, true, true],
      ['its environment', { projectId: 'prj_1', environmentId: 'env_1' }, true, true],
      ['itself', place, true, true],
      ['another project', { projectId: 'prj_2' }, false, false],
      ['another environment', { projectId: 'prj_1', environmentId: 'env_2' }, false, false],
      ['another instance', { ...place, moduleInstanceId: 'mi_2' }, false, false],
    ],
    (_, where, isCovered, isOfInterest) => {
      expect(covers(where, place)).toBe(isCovered)
      expect(concerns(where, place)).toBe(isOfInterest)
    },
  ),
)

test('a freeze of an environment is listed for its project, and does not apply to the whole project', () => {
  const environment = { projectId: 'prj_1', environmentId: 'env_1' }
  expect(concerns(environment, { projectId: 'prj_1' })).toBe(true)
  expect(covers(environment, { projectId: 'prj_1' })).toBe(false)
})

test(
  'an invalid window is rejected',
  everyCase<[FreezeWindow, string]>(
    [
      [{ from: '2026-02-01T00:00:00Z', until: '2026-01-01T00:00:00Z' }, '$.until: expected a time after'],
      [{ cron: '0 16 31 2 *', timeZone: 'UTC', minutes: 1 }, '$.cron: expected a time that comes'],
      [{ cron: 'on fridays', timeZone: 'UTC', minutes: 1 }, '$.cron: expected minute, hour'],
      [{ cron: '0 16 * * 5', timeZone: 'Berlin', minutes: 1 }, 'there is no Berlin'],
    ],
    (window, fault) => {
      expect(windowFaults(window, '$').join()).toContain(fault)
    },
  ),
)
