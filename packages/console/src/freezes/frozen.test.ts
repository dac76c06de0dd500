import type { Freeze, FreezeOverride } from '@sluice/contract'
import { describe, expect, test } from 'vitest'
import { everyCase } from '../../../../testing/every-case.ts'
import { concerns, covers, isUnderWay, letPast, nextTurn, stopping } from './frozen.ts'

const at = (hour: number) => Date.UTC(2030, 0, 1, hour)
const moment = (hour: number) => new Date(at(hour)).toISOString()

const place = { projectId: 'prj_1', environmentId: 'env_1', moduleInstanceId: 'mi_1' }

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
  stopping({ freezes, overrides }, 'RELEASES', place, at(hour)).map(({ id }) => id)

describe('where', () => {
  test(
    'a freeze covers the places in its scope',
    everyCase(
      [
        ['the organization', {}, true],
        ['its project', { projectId: 'prj_1' }, true],
        ['another project', { projectId: 'prj_2' }, false],
        ['another instance of its environment', { ...place, moduleInstanceId: 'mi_2' }, false],
      ],
      (_, where, doesCover) => {
        expect(covers(where, place)).toBe(doesCover)
      },
    ),
  )

  test('a project is told of what holds in one of its environments only', () => {
    const inEnvironment = { projectId: 'prj_1', environmentId: 'env_1' }
    expect(concerns(inEnvironment, { projectId: 'prj_1' })).toBe(true)
    expect(covers(inEnvironment, { projectId: 'prj_1' })).toBe(false)
    expect(concerns(inEnvironment, { projectId: 'prj_2' })).toBe(false)
  })
})

describe('what is stopped', () => {
  test('is it from the beginning of the period until before its end, whatever the service said earlier', () => {
    const known = freeze({ isActive: false })
    expect([9, 10, 11, 12].map((hour) => isUnderWay(known, at(hour)))).toEqual([false, true, true, false])
    expect(isUnderWay({}, at(11))).toBe(false)
  })

  test('is told by the freeze that ends last', () => {
    const longer = freeze({ id: 'frz_2', period: { from: moment(9), until: moment(15) } })
    expect(idsAt(10, [freeze(), longer])).toEqual(['frz_2', 'frz_1'])
  })

  test('is nothing that it does not name, and nothing where it only warns', () => {
    expect(idsAt(10, [freeze({ stops: ['CONTINUES'] }), freeze({ mode: 'WARN' })])).toEqual([])
  })

  test('is let past by an override of it, of everything or of this instance, until that ends', () => {
    expect(idsAt(10, [freeze()], [override()])).toEqual([])
    expect(idsAt(10, [freeze()], [override({ moduleInstanceId: 'mi_1' })])).toEqual([])
    expect(idsAt(10, [freeze()], [override({ moduleInstanceId: 'mi_2' })])).toEqual(['frz_1'])
    expect(idsAt(10, [freeze()], [override({ freezeId: 'frz_2' })])).toEqual(['frz_1'])
    expect(idsAt(11, [freeze()], [override()])).toEqual(['frz_1'])
  })

  test('is still stopped in a project of which one instance is let past', () => {
    const known = { freezes: [freeze()], overrides: [override({ moduleInstanceId: 'mi_1' })] }
    expect(letPast(known, freeze(), { projectId: 'prj_1' }, at(10))).toBeUndefined()
  })
})

test('the next turn is what begins or ends first of what is to come', () => {
  const known = { freezes: [freeze()], overrides: [override()] }
  expect([9, 10, 11, 12].map((hour) => nextTurn(known, at(hour)))).toEqual([at(10), at(11), at(12), undefined])
})
