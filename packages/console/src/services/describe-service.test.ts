import type { ReleaseInProgress, ServiceHealth, ServiceInEnvironment } from '@sluice/contract'
import { expect, test } from 'vitest'
import { everyCase } from '../../../../testing/every-case.ts'
import { describeService, notReleasedBySluice } from './describe-service.ts'

const since = '2026-01-01T00:00:00.000Z'
const running = { deploymentId: 'dep_1', version: '2.0.0', since, by: 'Ada', isRollback: false }
const paused: ReleaseInProgress = {
  deploymentId: 'dep_2',
  version: '4.0.0',
  status: 'IN_PROGRESS',
  since,
  stepCode: 'PAUSED',
  newTrafficPercent: 0,
  isPaused: true,
  waiting: 0,
}
const failed = { deploymentId: 'dep_3', version: '3.0.0', status: 'ROLLED_BACK' as const, at: since }
const health = (change: Partial<ServiceHealth> = {}): ServiceHealth => ({
  moduleInstanceId: 'mi_1',
  runningTasks: 2,
  startingTasks: 0,
  desiredTasks: 2,
  observedAt: since,
  ...change,
})
const place = (of: Partial<ServiceInEnvironment>): ServiceInEnvironment => ({
  moduleInstanceId: 'mi_1',
  environmentId: 'env_1',
  name: 'web',
  type: 'service',
  status: 'ACTIVE',
  states: ['STEADY'],
  driftedResources: 0,
  ...of,
})

/** All words in the order in which they are shown. */
function words(of: Partial<ServiceInEnvironment>, observed?: ServiceHealth, canDecide = true): string[] {
  const { running, tasks, progress, failure } = describeService({ place: place(of), health: observed, canDecide })
  const said = [running.words, running.note, tasks?.words, progress?.words, progress?.actor, failure?.words]
  return said.filter((one) => one !== undefined)
}

test(
  'what runs comes first, then what is in progress, then the last failure',
  everyCase<[string, string[], string[]]>(
    [
      ['runs', words({ running }, health()), ['2.0.0', '2 of 2 tasks']],
      ['runs after a failed release', words({ running, failed }), ['2.0.0', '3.0.0 was rolled back']],
      [
        'is paused before its first shift',
        words({ running, inProgress: paused, failed }, health()),
        [
          ...['2.0.0', '2 of 2 tasks', '4.0.0 · paused at 0 % of traffic', 'Waits for your decision'],
          '3.0.0 was rolled back',
        ],
      ],
      ['was restored', words({ running: { ...running, isRollback: true } }), ['2.0.0', 'Rolled back to']],
      ['was never deployed', words({}), ['Not released by Sluice yet']],
      [
        'runs without a release of Sluice',
        words({}, health({ version: '1.0.0' })),
        ['1.0.0', notReleasedBySluice, '2 of 2 tasks'],
      ],
      [
        'runs an unreadable version without a release of Sluice',
        words({}, health()),
        ['Unknown version', notReleasedBySluice, '2 of 2 tasks'],
      ],
      [
        'gets its first release',
        words({ inProgress: { ...paused, previousVersion: '1.0.0' } }),
        ['1.0.0', notReleasedBySluice, '4.0.0 · paused at 0 % of traffic', 'Waits for your decision'],
      ],
      [
        'has a service without tasks',
        words({}, health({ runningTasks: 0, desiredTasks: 0 })),
        ['Not released by Sluice yet', '0 of 0 tasks'],
      ],
    ],
    (_what, said, expected) => expect(said).toEqual(expected),
  ),
)

const progress = (of: Partial<ReleaseInProgress>, canDecide = true) =>
  words({ running, inProgress: { ...paused, ...of } }, undefined, canDecide).slice(1)

test(
  'a release in progress names its stage, its traffic and who must act',
  everyCase<[string[], string[]]>(
    [
      [progress({ hasRunningChecks: true }), ['4.0.0 · paused at 0 % of traffic', 'Waits for its checks']],
      [progress({}, false), ['4.0.0 · paused at 0 % of traffic', 'Waits for an approver']],
      [progress({ isPaused: false, stepCode: 'BAKE', newTrafficPercent: 100 }), ['4.0.0 · bake at 100 % of traffic']],
      [progress({ isPaused: false, status: 'PENDING', stepCode: 'QUEUED' }), ['4.0.0 · queued']],
      [progress({ isPaused: false, status: 'ROLLING_BACK' }), ['4.0.0 · rolling back at 0 % of traffic']],
    ],
    (said, expected) => expect(said).toEqual(expected),
  ),
)

const tasks = (of: Partial<ServiceInEnvironment>, observed?: ServiceHealth) =>
  describeService({ place: place(of), health: observed, canDecide: true }).tasks

test('tasks are counted now, or at the end of a release that had too few', () => {
  const short = { ...running, runningTasks: 1, desiredTasks: 2 }
  expect(tasks({ running: short })).toEqual({ words: '1 of 2 tasks', short: '1/2', state: 'short' })
  expect(tasks({ running: short }, health())).toEqual({ words: '2 of 2 tasks', short: '2/2', state: 'complete' })
  expect(tasks({ running: { ...running, runningTasks: 2, desiredTasks: 2 } })).toBe(undefined)
  expect(tasks({ running, inProgress: paused }, health({ runningTasks: 4 }))?.words).toBe('4 tasks of both versions')
  expect(tasks({ running }, health({ runningTasks: 0, startingTasks: 1, desiredTasks: 1 }))).toEqual({
    words: '0 of 1 task · 1 starting',
    short: '0/1',
    state: 'none',
  })
})
