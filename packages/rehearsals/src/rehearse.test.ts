import type { RehearsalScenario } from '@sluice/contract'
import type { RehearsalJob } from '@sluice/server/delivery/rehearsals/job'
import { expect, test } from 'vitest'
import { assumptionsOf } from './assumptions.ts'
import { canary, functionCanary, functionJobWith, groupJobWith, jobWith } from './job.fixture.ts'
import { rehearseScenario } from './rehearse.ts'

/** Rehearses the scenarios of a job in this process. */
const rehearse = (job: RehearsalJob): Promise<RehearsalScenario[]> =>
  Promise.all(job.scenarios.map((name) => rehearseScenario(job, name)))

const analysis = {
  intervalSeconds: 60,
  count: 3,
  failureLimit: 0,
  inconclusiveLimit: 3,
  checks: [{ name: 'smoke', http: { url: 'https://shop.example', headers: {}, status: 200 } }],
}

test('the analysis of a function rolls back a version whose calls fail, and continues pauses', async () => {
  const job = functionJobWith(functionCanary, { scenarios: ['NO_FAULT', 'UNHEALTHY_AFTER_FIRST_SHIFT'] })
  job.release.analysis = analysis
  const scenarios = await rehearse(job)
  expect(scenarios).toMatchObject([
    { outcome: 'SUCCESS', errorSeconds: 0 },
    { outcome: 'ROLLED_BACK', errorSeconds: 60, restoreSeconds: 60 },
  ])
  expect(assumptionsOf(job)).toContain(
    'Each check of the analysis is assumed to fail only while users see errors, and metrics to arrive without delay.',
  )
})

test('the analysis of a service rolls back a version whose requests fail while its health checks pass', async () => {
  const job = jobWith({ ...canary, pauseStages: [] }, { scenarios: ['ALARM_DURING_BAKE'] })
  job.release.analysis = analysis
  const [scenario] = await rehearse(job)
  expect(scenario).toMatchObject({ outcome: 'ROLLED_BACK' })
  expect(scenario?.errorSeconds).toBeLessThan(120)
})

test('a metric shows errors once a whole period has them', async () => {
  const metric = { namespace: 'AWS/Lambda', name: 'Errors', statistic: 'Sum', dimensions: {}, periodSeconds: 60 }
  const job = functionJobWith(functionCanary, { scenarios: ['UNHEALTHY_AFTER_FIRST_SHIFT'] })
  job.release.analysis = { ...analysis, intervalSeconds: 30, checks: [{ name: 'errors', metric, atMost: 0 }] }
  const [scenario] = await rehearse(job)
  expect(scenario).toMatchObject({ outcome: 'ROLLED_BACK' })
  expect(scenario?.errorSeconds).toBeGreaterThanOrEqual(60)
})

test('code that the function does not accept changes nothing', async () => {
  const job = functionJobWith(functionCanary)
  job.twin.code = {
    address: 's3://builds/v7.zip',
    rejection: { name: 'AccessDeniedException', message: 'The role may not read it.' },
  }
  const scenarios = await rehearse(job)
  expect(scenarios[0]).toMatchObject({ outcome: 'ERROR', errorSeconds: 0 })
  expect(assumptionsOf(job)).toContain('The function does not accept the code: The role may not read it.')
})

test('all calls go to the new version of a function with provisioned concurrency once it is ready', async () => {
  const job = functionJobWith({ type: 'all_at_once', bakeTimeInMinutes: 0, pauseStages: [] })
  job.twin.provisionedConcurrency = 5
  const [scenario] = await rehearse(job)
  expect(scenario).toMatchObject({ outcome: 'SUCCESS' })
  expect(scenario?.timeline.at(-1)?.newTrafficPercent).toBe(100)
})

test('a group of instances is updated one instance after the other', async () => {
  const [scenario] = await rehearse(groupJobWith())
  expect(scenario).toMatchObject({ outcome: 'SUCCESS', errorSeconds: 0, peakTaskCount: 4 })
  const shares = scenario?.timeline.map(({ newTrafficPercent }) => newTrafficPercent)
  expect([...new Set(shares)]).toEqual([0, 25, 50, 75, 100])
  expect(scenario?.durationSeconds).toBeGreaterThanOrEqual(4 * 60)
})

test.for([
  ['TASKS_CRASH', { outcome: 'ERROR', errorSeconds: 0 }],
  ['REGISTRY_UNAVAILABLE', { outcome: 'ERROR', errorSeconds: 0 }],
  // The instances that were updated return to the old version.
  ['UNHEALTHY_AFTER_FIRST_SHIFT', { outcome: 'ERROR', restoreSeconds: expect.any(Number) }],
  ['CLOUD_THROTTLES', { outcome: 'SUCCESS' }],
  ['RESTART_DURING_CHANGE', { outcome: 'SUCCESS' }],
] as const)('a release to a group in the scenario %s ends with the expected status', async ([name, expected]) => {
  const [scenario] = await rehearse(groupJobWith({ scenarios: [name] }))
  expect(scenario).toMatchObject({ name, status: 'SUCCESS', ...expected })
})

test('instances that were updated before a failure keep it if the module does not roll back', async () => {
  const job = groupJobWith({ scenarios: ['UNHEALTHY_AFTER_FIRST_SHIFT'] })
  job.release.automaticRollback = false
  const [scenario] = await rehearse(job)
  expect(scenario).toMatchObject({ outcome: 'ERROR', suggestion: expect.stringContaining('automatic_rollback') })
  expect(scenario?.verdict).toContain('users see errors until someone rolls it back')
  expect(scenario?.errorSeconds, 'until the release ends').toBeLessThanOrEqual(scenario?.durationSeconds ?? 0)
})

test('the text of a script does not decide how it ends, and its old version returns', async () => {
  const job = groupJobWith({ scenarios: ['NO_FAULT', 'UNHEALTHY_AFTER_FIRST_SHIFT'] })
  const commands = ['npm i @acme/* --ignore-missing']
  job.release.definition = { runtime: 'manual', commands, source: { repo: 'https://git.example/a.git', ref: 'v2' } }
  const source = { repo: 'https://git.example/a.git', ref: 'v1' }
  job.twin.currentRelease = { deploymentId: 'dep_7', runtime: 'manual', commands, source }
  expect(await rehearse(job)).toMatchObject([
    { outcome: 'SUCCESS', errorSeconds: 0 },
    { outcome: 'ERROR', restoreSeconds: expect.any(Number) },
  ])
})

test('a command in flight fails too when the new version stops working', async () => {
  const job = groupJobWith({ scenarios: ['UNHEALTHY_AFTER_FIRST_SHIFT'] })
  job.twin.group.Instances = [
    { InstanceId: 'i-1', LifecycleState: 'InService' },
    { InstanceId: 'i-2', LifecycleState: 'InService' },
  ]
  const [scenario] = await rehearse(job)
  expect(scenario).toMatchObject({ outcome: 'ERROR', restoreSeconds: expect.any(Number) })
})

test('a group whose instances are all starting has nothing to release to', async () => {
  const job = groupJobWith()
  job.twin.group.Instances = [{ InstanceId: 'i-1', LifecycleState: 'Pending' }]
  expect(await rehearse(job)).toMatchObject([{ outcome: 'ERROR' }])
})

test('a pause that no one continues times out although the analysis could continue it', async () => {
  const job = functionJobWith(functionCanary, { scenarios: ['PAUSE_TIMES_OUT'] })
  job.release.analysis = analysis
  expect(await rehearse(job)).toMatchObject([{ outcome: 'ROLLED_BACK' }])
})

test('an alias at $LATEST has the new code before traffic shifts', async () => {
  const job = functionJobWith({ type: 'all_at_once', bakeTimeInMinutes: 0, pauseStages: [] })
  job.twin.alias = { ...job.twin.alias, FunctionVersion: '$LATEST' }
  const [scenario] = await rehearse(job)
  const published = scenario?.timeline.find(({ stepCode }) => stepCode === 'PUBLISH_VERSION')
  expect(published?.newTrafficPercent).toBe(100)
})

test('users of a function with provisioned concurrency see errors until the old instances serve again', async () => {
  const strategy = { type: 'all_at_once', bakeTimeInMinutes: 30, pauseStages: [] } as const
  const job = functionJobWith(strategy as never, { scenarios: ['UNHEALTHY_AFTER_FIRST_SHIFT'] })
  job.release.analysis = analysis
  job.twin.provisionedConcurrency = 5
  const [scenario] = await rehearse(job)
  expect(scenario).toMatchObject({ outcome: 'ROLLED_BACK' })
  expect(scenario?.verdict).not.toContain('until someone')
})

// Polls at the pace of a release would take minutes.
test('a bake of a day is rehearsed in seconds, and ends in time', async () => {
  const job = jobWith({ ...canary, bakeTimeInMinutes: 1_440, pauseStages: [] })
  job.release.analysis = { ...analysis, intervalSeconds: 1 }
  const [scenario] = await rehearse(job)
  expect(scenario).toMatchObject({ outcome: 'SUCCESS' })
  const expectedSeconds = (1_440 + 5) * 60
  expect(Math.abs((scenario?.durationSeconds ?? 0) / expectedSeconds - 1)).toBeLessThan(0.01)
})
