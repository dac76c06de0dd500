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
  expect(assumptionsOf(job)).toContain('Each check of the analysis is assumed to fail only while users see errors.')
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

test('a redeployed function uses the version that is still there', async () => {
  const job = functionJobWith({ type: 'all_at_once', bakeTimeInMinutes: 0, pauseStages: [] })
  job.release.version = { version: '5', codeSha256: 'b2xkZXI=' }
  const [six] = job.twin.versions
  job.twin.versions = [{ ...six, Version: '5', CodeSha256: 'b2xkZXI=' }, { ...six }]
  const [scenario] = await rehearse(job)
  expect(scenario).toMatchObject({ outcome: 'SUCCESS' })
  expect(scenario?.timeline.flatMap(({ message }) => message ?? [])).toContain('Version 5 is still there.')
})

test('code that the function does not accept changes nothing', async () => {
  const job = functionJobWith(functionCanary)
  job.twin.code = { address: 's3://builds/v7.zip', rejection: 'S3 Error Code: NoSuchKey.' }
  const scenarios = await rehearse(job)
  expect(scenarios[0]).toMatchObject({ outcome: 'ERROR', errorSeconds: 0 })
  expect(assumptionsOf(job)).toContain('The function does not accept the code: S3 Error Code: NoSuchKey.')
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
})

test('a script is rehearsed like an image', async () => {
  const job = groupJobWith({ scenarios: ['NO_FAULT', 'TASKS_CRASH'] })
  job.release.definition = { runtime: 'manual', commands: ['set -e', 'install * user@host'] }
  expect(await rehearse(job)).toMatchObject([
    { outcome: 'SUCCESS' },
    { outcome: expect.stringMatching(/ERROR|ROLLED/) },
  ])
})
