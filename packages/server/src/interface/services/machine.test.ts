import { expect, test } from 'vitest'
import { everyCase } from '../../../../../testing/every-case.ts'
import { promotionSteps, type ServiceInstance, servicesOf, statesOf } from './machine.ts'

const steady: ServiceInstance = {
  id: 'mi_1',
  givenId: 'web',
  environmentId: 'env_1',
  name: 'Web shop',
  type: 'container-service',
  status: 'ACTIVE',
  runningId: 'dep_1',
  releasedBy: ['Ada Lovelace'],
  underWayId: null,
  isPaused: false,
  waiting: 0,
  failedId: null,
  hold: null,
  driftedResources: 0,
}

const hold = { holdId: 'hld_1', reason: 'Prices are wrong.', by: 'Ada Lovelace', since: '2026-03-01T10:00:00.000Z' }

test(
  'a service has exactly its own states',
  everyCase<[string, Partial<ServiceInstance>, ReturnType<typeof statesOf>]>(
    [
      ['runs', {}, ['STEADY']],
      ['is paused', { underWayId: 'dep_2', isPaused: true }, ['PAUSED', 'IN_PROGRESS']],
      ['failed and drifted', { failedId: 'dep_2', driftedResources: 2 }, ['FAILED', 'DRIFTED']],
      ['has infrastructure that failed', { status: 'ERROR' }, ['FAILED']],
      ['is held', { hold }, ['HELD']],
      ['is held and failed', { hold, failedId: 'dep_2' }, ['FAILED', 'HELD']],
      ['was never released', { runningId: null }, ['NOT_RELEASED']],
    ],
    (_what, change, states) => {
      expect(statesOf({ ...steady, ...change })).toEqual(states)
    },
  ),
)

const paused = { ...steady, id: 'mi_2', environmentId: 'env_2', underWayId: 'dep_2', isPaused: true }
const jobs = { ...steady, id: 'mi_3', givenId: 'jobs', name: 'Jobs', type: 'function', releasedBy: ['Grace Hopper'] }
const ids = (wanted: Parameters<typeof servicesOf>[1]) =>
  servicesOf([steady, paused, jobs], wanted).map(({ givenId, places }) => [givenId, places.length])

test('services are the instances with the same givenId, in its order', () => {
  expect(ids({})).toEqual([
    ['jobs', 1],
    ['web', 2],
  ])
})

test(
  'a service is found by every filter and returned with all its instances',
  everyCase<[string, Parameters<typeof servicesOf>[1], string[]]>(
    [
      ['a part of the name, however written', { search: 'SHOP' }, ['web']],
      ['a part of the id', { search: 'job' }, ['jobs']],
      ['its whole id', { givenId: 'web' }, ['web']],
      ['a part of the id, where the whole one is asked for', { givenId: 'we' }, []],
      ['the type', { type: ['function'] }, ['jobs']],
      ['a state that it has somewhere', { state: ['PAUSED'] }, ['web']],
      ['who released it', { releasedBy: 'hopper' }, ['jobs']],
      ['all of them at once, in one place', { state: ['PAUSED'], type: ['function'] }, []],
    ],
    (_what, wanted, found) => {
      expect(ids(wanted).map(([id]) => id)).toEqual(found)
      for (const [id, places] of ids(wanted)) expect(places).toBe(id === 'web' ? 2 : 1)
    },
  ),
)

test('services with problems come first: failures, then pauses', () => {
  const named = (givenId: string, of: Partial<ServiceInstance>) => ({ ...steady, id: `mi_${givenId}`, givenId, ...of })
  const places = [
    named('a', {}),
    named('b', { underWayId: 'dep_2', isPaused: true }),
    named('c', { failedId: 'dep_2' }),
    named('d', { hold }),
    { ...named('a', { status: 'ERROR' }), id: 'mi_a2', environmentId: 'env_2' },
  ]
  const order = servicesOf(places, { sort: 'PROBLEMS' }).map(({ givenId }) => givenId)
  expect(order).toEqual(['a', 'c', 'b', 'd'])
  expect(servicesOf(places, {}).map(({ givenId }) => givenId)).toEqual(['a', 'b', 'c', 'd'])
})

test('a release can be promoted to the next environment of the service', () => {
  const at = (environmentId: string, of: Partial<ServiceInstance> = {}) => ({
    ...steady,
    id: `mi_${environmentId}`,
    environmentId,
    ...of,
  })
  const places = [at('production'), at('testing'), at('development', { runningId: null }), at('staging')]
  const order = ['development', 'testing', 'preview', 'staging', 'production']
  expect(promotionSteps({ id: 'web', givenId: 'web', places }, order)).toEqual([
    { fromEnvironmentId: 'testing', environmentId: 'staging', moduleInstanceId: 'mi_staging' },
    { fromEnvironmentId: 'staging', environmentId: 'production', moduleInstanceId: 'mi_production' },
  ])
})
