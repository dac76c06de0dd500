import type { Freeze, FreezeOverride } from '@sluice/contract'
import { describe, expect, test } from 'vitest'
import { everyCase } from '../../../../testing/every-case.ts'
import {
  activeOverride,
  blockingFreezes,
  coversScope,
  isActive,
  nextChangeAt,
  overlapsScope,
} from './active-freezes.ts'

const at = (hour: number) => Date.UTC(2030, 0, 1, hour)
const moment = (hour: number) => new Date(at(hour)).toISOString()

const scope = { projectId: 'prj_1', environmentId: 'env_1', moduleInstanceId: 'mi_1' }

/** Builds a freeze of the project from ten to twelve. */
const freeze = (more: Partial<Freeze> = {}) =>
  ({
    id: 'frz_1',
    projectId: 'prj_1',
    name: 'Holidays',
    stops: ['RELEASES'],
    mode: 'ENFORCE',
    period: { from: moment(10), until: moment(12) },
    ...more,
  }) as Freeze

const override = (more: Partial<FreezeOverride> = {}) =>
  ({ id: 'fro_1', freezeId: 'frz_1', until: moment(11), ...more }) as FreezeOverride

const idsAt = (hour: number, freezes: Freeze[], overrides: FreezeOverride[] = []) =>
  blockingFreezes({ freezes, overrides }, 'RELEASES', scope, at(hour)).map(({ id }) => id)

describe('scope', () => {
  test(
    'a freeze covers the records in its scope',
    everyCase(
      [
        ['the organization', {}, true],
        ['its project', { projectId: 'prj_1' }, true],
        ['another project', { projectId: 'prj_2' }, false],
        ['another instance of its environment', { ...scope, moduleInstanceId: 'mi_2' }, false],
      ],
      (_, where, doesCover) => {
        expect(coversScope(where, scope)).toBe(doesCover)
      },
    ),
  )

  test('a freeze in one environment concerns its project', () => {
    const inEnvironment = { projectId: 'prj_1', environmentId: 'env_1' }
    expect(overlapsScope(inEnvironment, { projectId: 'prj_1' })).toBe(true)
    expect(coversScope(inEnvironment, { projectId: 'prj_1' })).toBe(false)
    expect(overlapsScope(inEnvironment, { projectId: 'prj_2' })).toBe(false)
  })
})

describe('a blocked action', () => {
  test('is blocked from the start of the period until its end, even if the answer is older', () => {
    const known = freeze({ isActive: false })
    expect([9, 10, 11, 12].map((hour) => isActive(known, at(hour)))).toEqual([false, true, true, false])
    expect(isActive({}, at(11))).toBe(false)
  })

  test('shows the freeze that ends last', () => {
    const longer = freeze({ id: 'frz_2', period: { from: moment(9), until: moment(15) } })
    expect(idsAt(10, [freeze(), longer])).toEqual(['frz_2', 'frz_1'])
  })

  test('is not blocked if the freeze does not name it or only warns', () => {
    expect(idsAt(10, [freeze({ stops: ['CONTINUES'] }), freeze({ mode: 'WARN' })])).toEqual([])
  })

  test('is allowed by an override of everything or of the instance, until it ends', () => {
    expect(idsAt(10, [freeze()], [override()])).toEqual([])
    expect(idsAt(10, [freeze()], [override({ moduleInstanceId: 'mi_1' })])).toEqual([])
    expect(idsAt(10, [freeze()], [override({ moduleInstanceId: 'mi_2' })])).toEqual(['frz_1'])
    expect(idsAt(10, [freeze()], [override({ freezeId: 'frz_2' })])).toEqual(['frz_1'])
    expect(idsAt(11, [freeze()], [override()])).toEqual(['frz_1'])
  })

  test('stays blocked in a project of which one instance has an override', () => {
    const known = { freezes: [freeze()], overrides: [override({ moduleInstanceId: 'mi_1' })] }
    expect(activeOverride(known, freeze(), { projectId: 'prj_1' }, at(10))).toBeUndefined()
  })
})

test('the next change is the earliest upcoming start or end', () => {
  const known = { freezes: [freeze()], overrides: [override()] }
  expect([9, 10, 11, 12].map((hour) => nextChangeAt(known, at(hour)))).toEqual([at(10), at(11), at(12), undefined])
})
