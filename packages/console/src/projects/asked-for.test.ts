import type { Service, ServicePlace } from '@sluice/contract'
import { expect, test } from 'vitest'
import { askedFor } from './asked-for.ts'

const running = { deploymentId: 'dep_1', since: '2026-01-01T00:00:00.000Z', isRollback: false }
const place = (moduleInstanceId: string, isReleased = true): ServicePlace => ({
  ...{ moduleInstanceId, environmentId: 'env_1', name: 'web', type: 'service' },
  ...{ status: 'ACTIVE', states: ['STEADY'], driftedResources: 0 },
  ...(isReleased && { running }),
})
const services = (count: number, places: number): Service[] =>
  Array.from({ length: count }, (_, at) => ({
    ...{ givenId: `s-${at}`, name: `s-${at}` },
    places: Array.from({ length: places }, (_, where) => place(`mi_${at}_${where}`)),
  }))

test('rows are asked for in blocks: a row more in sight asks for nothing more', () => {
  const all = services(40, 6)
  expect(askedFor(all, [0, 1, 2])).toEqual(askedFor(all, [3, 9]))
  expect(askedFor(all, [8, 9, 10, 11])).toHaveLength(2)
  expect(askedFor(all, [12])[0]).toHaveLength(60)
})

test('the service is never asked for more than it takes', () => {
  const questions = askedFor(services(10, 13), [0])
  expect(questions.map((ids) => ids.length)).toEqual([60, 60, 10])
})

test('what was never released is not asked for, and nothing in sight asks nothing', () => {
  const one: Service = { givenId: 'web', name: 'web', places: [place('mi_1'), place('mi_2', false)] }
  expect(askedFor([one], [0])).toEqual([['mi_1']])
  expect(askedFor([{ ...one, places: [place('mi_2', false)] }], [0])).toEqual([])
  expect(askedFor([], [])).toEqual([])
})
