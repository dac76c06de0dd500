import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { type RehearsalScenario, rehearsalScenarios } from '@sluice/contract'
import { scenariosOfType } from '@sluice/contract/rehearsal-scenarios'
import type { EcsStrategy } from '@sluice/server/cloud/facts/ecs'
import type { RehearsalJob, RehearsalOutput } from '@sluice/server/delivery/rehearsals/job'
import { beforeAll, describe, expect, test } from 'vitest'
import { canary, functionCanary, functionJobWith, jobWith } from './job.fixture.ts'

const main = fileURLToPath(new URL('./main.ts', import.meta.url))

/** Runs the program like the server. */
function run(job: RehearsalJob): RehearsalOutput {
  const limits = ['--permission', '--allow-fs-read=*']
  const { stdout, stderr, status } = spawnSync(process.execPath, [...limits, main], {
    input: JSON.stringify(job),
    encoding: 'utf8',
    env: {},
    maxBuffer: 16 * 1024 * 1024,
  })
  expect(stderr).toBe('')
  expect(status).toBe(0)
  return JSON.parse(stdout) as RehearsalOutput
}

describe('the scenarios of a canary with two pauses', () => {
  let byName: Map<string, RehearsalScenario>
  beforeAll(() => {
    const { scenarios } = run(jobWith(canary, { scenarios: [...rehearsalScenarios] }))
    byName = new Map(scenarios.map((scenario) => [scenario.name, scenario]))
  })

  test.for([
    ['NO_FAULT', { outcome: 'SUCCESS', errorSeconds: 0 }],
    ['TASKS_CRASH', { outcome: 'ROLLED_BACK', errorSeconds: 0 }],
    // Health checks need 30 s to detect the failure, while the new version has 10 % of the traffic.
    ['UNHEALTHY_AFTER_FIRST_SHIFT', { outcome: 'ROLLED_BACK', errorSeconds: 30, restoreSeconds: 30 }],
    ['ALARM_DURING_BAKE', { outcome: 'SUCCESS', suggestion: expect.stringContaining('deploy.alarms') }],
    ['PAUSE_TIMES_OUT', { outcome: 'ROLLED_BACK', errorSeconds: 0 }],
    ['REGISTRY_UNAVAILABLE', { outcome: 'ROLLED_BACK', errorSeconds: 0 }],
    ['CAPACITY_UNAVAILABLE', { outcome: 'ROLLED_BACK', errorSeconds: 0 }],
    ['CLOUD_THROTTLES', { outcome: 'SUCCESS', errorSeconds: 0 }],
    ['EXTERNAL_CHANGE', { outcome: 'CANCELLED', errorSeconds: 0 }],
    ['RESTART_DURING_CHANGE', { outcome: 'SUCCESS', errorSeconds: 0 }],
  ] as const)('%s ends with the expected status', ([name, expected]) => {
    expect(byName.get(name)).toMatchObject({ status: 'SUCCESS', ...expected })
  })

  test('each pause has a deadline for the decision', () => {
    const pauses = byName.get('NO_FAULT')?.timeline.filter(({ stepCode }) => stepCode === 'PAUSED') ?? []
    expect(pauses.map(({ decideBy }) => decideBy)).toEqual(['2030-01-02T12:00:47.000Z', expect.any(String)])
  })

  test('a release that users do not continue for a day takes a day of virtual time', () => {
    expect(byName.get('PAUSE_TIMES_OUT')?.durationSeconds).toBeGreaterThan(86_400)
  })
})

test('the copy of the service serves users from the same target group as the original', () => {
  const [scenario] = run(jobWith({ type: 'blue_green', bakeTimeInMinutes: 1, pauseStages: [] })).scenarios
  expect(scenario).toMatchObject({ outcome: 'SUCCESS', errorSeconds: 0, peakTaskCount: 8 })
  // Four extra tasks run during the start, the bake of one minute and the end.
  expect(scenario?.extraTaskSeconds).toBeGreaterThan(4 * 60)
  expect(scenario?.extraTaskSeconds).toBeLessThan(4 * (scenario?.durationSeconds ?? 0) + 4 * 120)
  expect(scenario?.timeline[0]).toMatchObject({ newTrafficPercent: 0, oldTaskCount: 4, newTaskCount: 0 })
  expect(scenario?.timeline.at(-1)).toMatchObject({ newTrafficPercent: 100, oldTaskCount: 0, newTaskCount: 4 })
})

test('an alarm during the bake time rolls the release back if the module names the alarm', () => {
  const job = jobWith({ ...canary, bakeTimeInMinutes: 30 }, { scenarios: ['ALARM_DURING_BAKE'] })
  const alarm = {
    AlarmName: 'errors',
    StateValue: 'OK',
    Namespace: 'AWS/ApplicationELB',
    MetricName: 'HTTPCode',
    Threshold: 5,
  }
  job.release.alarms = ['errors']
  job.twin.alarms = [alarm]
  const [scenario] = run(job).scenarios
  expect(scenario).toMatchObject({ outcome: 'ROLLED_BACK' })
  expect(scenario?.errorSeconds).toBeGreaterThanOrEqual(7 * 60)
  expect(scenario?.errorSeconds).toBeLessThan(8 * 60)
})

test('a composed scenario combines faults at the requested time', () => {
  const linear = { stepPercent: 25, stepBakeTimeInMinutes: 5 }
  const strategy: EcsStrategy = { type: 'linear', bakeTimeInMinutes: 5, linear, pauseStages: [] }
  const faults = [
    { type: 'UNHEALTHY_AFTER_FIRST_SHIFT', trafficPercent: 50, afterSeconds: 60 },
    { type: 'CLOUD_THROTTLES' },
  ] as const
  const late = { name: 'Late failure', faults: [...faults] }
  const never = { name: 'Too late', faults: [{ type: 'EXTERNAL_CHANGE' as const, afterSeconds: 86_400 }] }
  // The release takes between 25 and 30 minutes.
  const after = { name: 'After', faults: [{ type: 'UNHEALTHY_AFTER_FIRST_SHIFT' as const, afterSeconds: 30 * 60 }] }
  const [failed, ended, healthy] = run(jobWith(strategy, { scenarios: [late, never, after] })).scenarios
  expect(healthy).toMatchObject({ outcome: 'SUCCESS', errorSeconds: 0 })
  expect(healthy?.verdict).toContain('it ends before every fault has occurred')
  expect(failed).toMatchObject({ ...late, outcome: 'ROLLED_BACK' })
  const [incident, ...others] = failed?.timeline.filter(({ type }) => type === 'INCIDENT') ?? []
  expect(others).toEqual([])
  expect(incident?.newTrafficPercent).toBe(50)
  const reached = failed?.timeline.find(({ newTrafficPercent }) => newTrafficPercent === 50)
  expect((incident?.seconds ?? 0) - (reached?.seconds ?? 0), 'seconds after the share was reached').toBe(60)
  expect(ended).toMatchObject({ ...never, outcome: 'SUCCESS', errorSeconds: 0 })
  expect(ended?.verdict).toContain('it ends before every fault has occurred')
})

test('a missing image starts no task', () => {
  const job = jobWith(canary)
  job.twin.missing = { images: ['shop/web:8'], logGroups: [] }
  const { scenarios, assumptions } = run(job)
  expect(scenarios[0]).toMatchObject({ outcome: 'ROLLED_BACK', errorSeconds: 0 })
  expect(assumptions).toContain('shop/web:8 does not exist, so no task of the new version starts.')
})

test('a scenario that cannot be rehearsed gives the reason', () => {
  const job = jobWith(canary)
  job.twin.readAt = 'never'
  const [scenario] = run(job).scenarios
  expect(scenario).toMatchObject({ status: 'ERROR', timeline: [] })
  expect(scenario?.error?.message).toMatch(/^The scenario could not be rehearsed: /)
})

describe('the scenarios of a function whose canary has two pauses', () => {
  let byName: Map<string, RehearsalScenario>
  beforeAll(() => {
    const { scenarios } = run(functionJobWith(functionCanary, { scenarios: [...scenariosOfType['cloud:lambda']] }))
    byName = new Map(scenarios.map((scenario) => [scenario.name, scenario]))
  })

  test.for([
    ['NO_FAULT', { outcome: 'SUCCESS', errorSeconds: 0 }],
    ['TASKS_CRASH', { outcome: 'ERROR', errorSeconds: 0 }],
    [
      'UNHEALTHY_AFTER_FIRST_SHIFT',
      { outcome: 'SUCCESS', suggestion: expect.stringContaining('Add an analysis to the deploy block') },
    ],
    ['PAUSE_TIMES_OUT', { outcome: 'ROLLED_BACK', errorSeconds: 0 }],
    ['REGISTRY_UNAVAILABLE', { outcome: 'ERROR', errorSeconds: 0 }],
    ['CLOUD_THROTTLES', { outcome: 'SUCCESS', errorSeconds: 0 }],
    ['EXTERNAL_CHANGE', { outcome: 'ERROR', errorSeconds: 0 }],
    ['RESTART_DURING_CHANGE', { outcome: 'SUCCESS', errorSeconds: 0 }],
  ] as const)('%s ends with the expected status', ([name, expected]) => {
    expect(byName.get(name)).toMatchObject({ status: 'SUCCESS', ...expected })
  })

  test('the new version receives 10 % of the calls, then all', () => {
    const shares = byName.get('NO_FAULT')?.timeline.map(({ newTrafficPercent }) => newTrafficPercent)
    expect([...new Set(shares)]).toEqual([0, 10, 100])
  })
})
