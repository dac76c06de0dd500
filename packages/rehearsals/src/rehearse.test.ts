import type { RehearsalScenario } from '@sluice/contract'
import type { RehearsalJob } from '@sluice/server/delivery/rehearsals/job'
import { expect, test } from 'vitest'
import { assumptionsOf } from './assumptions.ts'
import { canary, functionCanary, functionJobWith, jobWith } from './job.fixture.ts'
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
