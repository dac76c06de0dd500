import { EmbeddedCloud } from '@sluice/cloud-sim/embedded'
import type { RehearsalScenario, RehearsalScenarioName } from '@sluice/contract'
import { faultsDuringRelease, rehearsalFaults } from '@sluice/contract/rehearsal-scenarios'
import type { LambdaStrategy } from '@sluice/server/delivery/deployments/types/lambda/release'
import type { RehearsalJob } from '@sluice/server/delivery/rehearsals/job'
import { expect, test } from 'vitest'
import { assumptionsOf } from './assumptions.ts'
import { copyOf } from './copy-of.ts'
import { canary, functionCanary, functionJobWith, groupJobWith, jobWith, siteJobWith } from './job.fixture.ts'
import { rehearseScenario } from './rehearse.ts'

/** Rehearses the scenarios of a job in this process. */
const rehearse = (job: RehearsalJob): Promise<RehearsalScenario[]> =>
  Promise.all(job.scenarios.map((requested) => rehearseScenario(job, requested)))

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

test('a site serves the new directory, empties its caches and deletes the old directory', async () => {
  const job = siteJobWith()
  const [scenario] = await rehearse(job)
  expect(scenario).toMatchObject({ outcome: 'SUCCESS', errorSeconds: 0, peakTaskCount: 0 })
  expect(scenario?.timeline.map(({ stepCode, newTrafficPercent }) => [stepCode, newTrafficPercent])).toEqual([
    ['INIT', 0],
    ['PROMOTE', 100],
    ['INVALIDATE', 100],
    ['CLEAN_UP', 100],
    ['COMPLETED', 100],
  ])
  expect(scenario?.timeline.map(({ message }) => message)).toContain('Deleting releases/6.')
  expect(assumptionsOf(job)).not.toContainEqual(expect.stringContaining('pause'))
})

test.for([
  // Nothing of a site notices a failure.
  [
    'UNHEALTHY_AFTER_FIRST_SHIFT',
    { outcome: 'SUCCESS', verdict: expect.stringContaining('until someone rolls it back') },
  ],
  ['REGISTRY_UNAVAILABLE', { outcome: 'ERROR', errorSeconds: 0 }],
  ['CLOUD_THROTTLES', { outcome: 'SUCCESS', errorSeconds: 0 }],
  // The directory is not read again after it was promoted.
  ['EXTERNAL_CHANGE', { outcome: 'SUCCESS', restoreSeconds: 0 }],
  ['RESTART_DURING_CHANGE', { outcome: 'SUCCESS', errorSeconds: 0 }],
] as const)('a release to a site in the scenario %s ends with the expected status', async ([name, expected]) => {
  const [scenario] = await rehearse(siteJobWith({ scenarios: [name] }))
  expect(scenario).toMatchObject({ name, status: 'SUCCESS', ...expected })
})

test('a directory without files is not served', async () => {
  const job = siteJobWith()
  job.twin.hasFiles = false
  const [scenario] = await rehearse(job)
  expect(scenario).toMatchObject({ outcome: 'ERROR' })
  expect(scenario?.error?.message).toBe('The directory releases/7 of the bucket docs is empty or not there.')
  expect(scenario?.timeline.at(-1)?.newTrafficPercent).toBe(0)
})

const atOnce: LambdaStrategy = { type: 'all_at_once', bakeTimeInMinutes: 0, pauseStages: [] }

/** Returns a rehearsed rollback of `thumbnails` to version 5. */
function functionRollback(change: { alias?: object; scenarios?: RehearsalScenarioName[] } = {}) {
  const { twin, release, ...job } = functionJobWith(atOnce, { isRollback: true })
  const { code: _, ...known } = twin
  const version = { version: '5', codeSha256: 'Zml2ZQ==' }
  const arn = `${release.functionArn}:5`
  const fifth = { ...twin.versions[0], FunctionArn: arn, Version: '5', CodeSha256: version.codeSha256 }
  const { alias, scenarios = ['NO_FAULT'] } = change
  const copied = { ...known, versions: [fifth, ...twin.versions], alias: { ...twin.alias, ...alias } }
  return { ...job, release: { ...release, version }, twin: copied, known: version, scenarios }
}

test('a rollback of a function routes all calls to the earlier version, without publishing its code', async () => {
  const job = functionRollback()
  const [scenario] = await rehearse(job)
  expect(scenario).toMatchObject({ outcome: 'SUCCESS', errorSeconds: 0 })
  expect(scenario?.timeline.map(({ stepCode }) => stepCode)).not.toContain('UPDATE_CODE')
  expect(scenario?.timeline[0]?.newTrafficPercent).toBe(0)
  expect(scenario?.timeline.at(-1)?.newTrafficPercent).toBe(100)
  expect(assumptionsOf(job)).toContainEqual(expect.stringContaining('is not published again'))
})

test('a rollback never counts calls that the earlier version had before as a shift', async () => {
  const RoutingConfig = { AdditionalVersionWeights: { 6: 0.1 } }
  const [scenario] = await rehearse(functionRollback({ alias: { FunctionVersion: '5', RoutingConfig } }))
  expect(scenario).toMatchObject({ outcome: 'SUCCESS' })
  expect([...new Set(scenario?.timeline.map(({ newTrafficPercent }) => newTrafficPercent))]).toEqual([0])
})

test('the result of a rehearsed rollback suggests nothing that a rollback ignores', async () => {
  const [scenario] = await rehearse(functionRollback({ scenarios: ['UNHEALTHY_AFTER_FIRST_SHIFT'] }))
  expect(scenario).toMatchObject({
    outcome: 'SUCCESS',
    verdict: expect.stringContaining('until someone rolls it back'),
  })
  expect(scenario?.suggestion).toBeUndefined()
})

const registry = '111122223333.dkr.ecr.eu-west-1.amazonaws.com'

/** Returns a rehearsed rollback of `web` to a task definition with an image of the account and a log group. */
function serviceRollback(scenarios: RehearsalScenarioName[] = ['NO_FAULT']) {
  const job = jobWith({ type: 'blue_green', bakeTimeInMinutes: 0, pauseStages: [] }, { isRollback: true, scenarios })
  const [current] = job.twin.taskDefinitions
  const arn = String(current?.taskDefinitionArn).replace(':7', ':6')
  const options = { 'awslogs-group': '/web', 'awslogs-region': 'eu-west-1', 'awslogs-stream-prefix': 'app' }
  const logConfiguration = { logDriver: 'awslogs', options }
  const portMappings = [{ containerPort: 8080 }]
  const app = { name: 'app', image: `${registry}/web:6`, essential: true, portMappings, logConfiguration }
  const executionRoleArn = 'arn:aws:iam::111122223333:role/web'
  const definition = { ...job.twin.definition, containerDefinitions: [app], executionRoleArn }
  job.twin.definition = definition
  job.twin.taskDefinitions.push({ ...definition, taskDefinitionArn: arn, revision: 6, status: 'ACTIVE' })
  job.release.taskDefinition = { reuse: { arn } }
  job.release.isRollback = true
  job.known = { deployedTaskDefinition: { arn, revision: 6, definition } }
  return job
}

const warningsOf = (scenario: RehearsalScenario | undefined) =>
  scenario?.timeline.filter(({ stepCode }) => stepCode === 'WARNING').map(({ message }) => message)

test('a rollback of a service reuses the earlier task definition, and only its tasks crash', async () => {
  const scenarios = await rehearse(serviceRollback(['NO_FAULT', 'TASKS_CRASH']))
  expect(scenarios).toMatchObject([
    { outcome: 'SUCCESS', errorSeconds: 0, peakTaskCount: 8 },
    { outcome: 'ROLLED_BACK', errorSeconds: 0 },
  ])
  expect(scenarios.map(warningsOf), 'parts that exist in the account').toEqual([[], []])
  expect(scenarios[0]?.timeline.at(-1)?.newTrafficPercent).toBe(100)
})

test('a rollback whose log group is gone changes nothing', async () => {
  const job = serviceRollback()
  job.twin.missing = { images: [], logGroups: ['/web'] }
  const [scenario] = await rehearse(job)
  expect(scenario).toMatchObject({ outcome: 'ERROR', errorSeconds: 0, peakTaskCount: 4 })
  expect(scenario?.error?.message).toContain('/web')
})

test('a rollback registers a deleted task definition again', async () => {
  const job = serviceRollback()
  job.twin.taskDefinitions.pop()
  const [scenario] = await rehearse(job)
  expect(scenario).toMatchObject({ outcome: 'SUCCESS' })
  expect(scenario?.timeline.map(({ stepCode }) => stepCode)).toContain('REGISTER_RELEASE')
})

test.for([
  ['cloud:ecs', () => jobWith(canary)],
  ['cloud:lambda', () => functionJobWith(functionCanary)],
  ['cloud:ec2', () => groupJobWith()],
  ['cloud:static', () => siteJobWith()],
] as const)('exactly the faults of %s that occur during a release can have a time', ([, job]) => {
  const { scenarios } = copyOf(job(), new EmbeddedCloud({ startsAt: new Date(0), seed: 1 }))
  const timed = rehearsalFaults.filter((name) => scenarios[name]?.incident)
  expect(timed).toEqual(faultsDuringRelease.filter((name) => scenarios[name]))
})
