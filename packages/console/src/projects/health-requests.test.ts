import type { Service, ServiceInEnvironment } from '@sluice/contract'
import { expect, test } from 'vitest'
import { healthRequests } from './health-requests.ts'

const running = { deploymentId: 'dep_1', since: '2026-01-01T00:00:00.000Z', isRollback: false }
const place = (moduleInstanceId: string, isReleased = true): ServiceInEnvironment => ({
  moduleInstanceId,
  environmentId: 'env_1',
  name: 'web',
  type: 'service',
  status: 'ACTIVE',
  states: ['STEADY'],
  driftedResources: 0,
  ...(isReleased && { running }),
})
const services = (count: number, places: number): Service[] =>
  Array.from({ length: count }, (_, at) => ({
    givenId: `s-${at}`,
    name: `s-${at}`,
    places: Array.from({ length: places }, (_, where) => place(`mi_${at}_${where}`)),
  }))

test('rows are requested in blocks, so one more visible row needs no new request', () => {
  const all = services(40, 6)
  expect(healthRequests(all, [0, 1, 2])).toEqual(healthRequests(all, [3, 9]))
  expect(healthRequests(all, [8, 9, 10, 11])).toHaveLength(2)
  expect(healthRequests(all, [12])[0]).toHaveLength(60)
})

test('a request never exceeds the limit of the server', () => {
  const questions = healthRequests(services(10, 13), [0])
  expect(questions.map((ids) => ids.length)).toEqual([60, 60, 10])
})

test('services that Sluice has not released are requested, and nothing visible requests nothing', () => {
  const one: Service = { givenId: 'web', name: 'web', places: [place('mi_1'), place('mi_2', false)] }
  expect(healthRequests([one], [0])).toEqual([['mi_1', 'mi_2']])
  expect(healthRequests([], [])).toEqual([])
})
