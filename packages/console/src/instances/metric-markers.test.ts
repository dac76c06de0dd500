import type { Deployment, DeploymentEvent } from '@sluice/contract'
import { expect, test } from 'vitest'
import { type Marker, markersInRange, numberMarkers, releaseMarkers } from './metric-markers.ts'

const minute = (n: number) => new Date(Date.UTC(2026, 2, 5, 12, n)).toISOString()
const at = (n: number) => Date.parse(minute(n))
const release = (given: Partial<Deployment>) =>
  ({
    status: 'SUCCESS',
    data: { type: 'cloud:static', events: [], prefix: '2.1.0' },
    ...given,
  }) as unknown as Deployment
const event = (stepCode: DeploymentEvent['stepCode'], n: number): DeploymentEvent => ({
  stepCode,
  startedAt: minute(n),
  currentStep: 1,
  totalSteps: 9,
})

test('the markers of a release are its traffic changes', () => {
  const one = release({ startedAt: minute(1), completedAt: minute(9), status: 'ROLLED_BACK' })
  const events = [
    event('INIT', 1),
    event('PRODUCTION_TRAFFIC_SHIFT', 3),
    event('PAUSED', 4),
    event('ROLLBACK_STARTED', 8),
  ]
  expect(releaseMarkers(one, events).map(({ at, kind }) => [at, kind])).toEqual([
    [at(1), 'began'],
    [at(3), 'moved'],
    [at(4), 'moved'],
    [at(8), 'failed'],
    [at(9), 'failed'],
  ])
})

test('releases in the time range are marked, oldest first', () => {
  const newer = release({ startedAt: minute(20), completedAt: minute(25) })
  const older = release({ startedAt: minute(5), completedAt: minute(9), status: 'ERROR' })
  const waiting = release({ status: 'PENDING' })
  expect(markersInRange([waiting, newer, older], at(6), at(22)).map(({ at, kind }) => [at, kind])).toEqual([
    [at(9), 'failed'],
    [at(20), 'began'],
  ])
})

test('markers with overlapping numbers share one', () => {
  const markers = [1, 2, 4, 20, 40, 41].map((n): Marker => ({ at: at(n), label: 'x', kind: 'moved' }))
  expect(numberMarkers(markers, 5 * 60_000)).toEqual(['1–3', undefined, undefined, '4', '5–6', undefined])
  expect(numberMarkers(markers, 0)).toEqual(['1', '2', '3', '4', '5', '6'])
  expect(numberMarkers([], 1)).toEqual([])
})
