import type { Deployment, Rehearsal, RehearsalScenario, RehearsalSummary } from '@sluice/contract'
import { beforeAll, expect, test } from 'vitest'
import { eventually } from '../../testing/eventually.ts'
import { testFunction } from '../../testing/functions.ts'
import { createGroup, untilReachable } from '../../testing/machine-group.ts'
import { createTestSite } from '../../testing/static-site.ts'
import { canary, pausingBeforeShifts } from '../../testing/strategies.ts'
import { sharedWorld, type TestOrganization, type World } from '../../testing/world.ts'
import type { RequestedScenario } from './job.ts'

let world: World
beforeAll(async () => {
  world = await sharedWorld()
})

type Request = { moduleInstanceId: string; image?: string; scenarios?: RequestedScenario[] }

/** Rehearses a release and returns the rehearsal when it has finished. */
async function rehearse(
  org: TestOrganization,
  { moduleInstanceId, image = 'shop/app:2', scenarios = ['NO_FAULT'] }: Request,
): Promise<Rehearsal> {
  const data = { moduleInstanceId, inputs: { image_ref: image }, scenarios }
  return untilFinished(org, await org.client.done<Rehearsal>('POST', '/rehearsals', { data }))
}

function untilFinished({ client }: TestOrganization, { id }: Rehearsal): Promise<Rehearsal> {
  const get = () => client.done<Rehearsal>('GET', `/rehearsals/${id}`)
  return eventually(`${id} to finish`, get, ({ status }) => status === 'SUCCESS' || status === 'ERROR', 120_000)
}

function only({ scenarios: [first], error }: Rehearsal): RehearsalScenario {
  expect(error, 'why the rehearsal could not run').toBeUndefined()
  if (!first) throw new Error('the rehearsal has no scenario')
  return first
}

const stepsOf = ({ timeline }: RehearsalScenario) => timeline.flatMap(({ stepCode }) => stepCode ?? [])
const sharesOf = ({ timeline }: RehearsalScenario) => [...new Set(timeline.map((one) => one.newTrafficPercent))]

test('a rehearsed canary has its steps, pauses and traffic shifts, and releases nothing', async () => {
  const org = await world.organization()
  const { moduleInstanceId } = await org.service(pausingBeforeShifts(canary))

  const scenario = only(await rehearse(org, { moduleInstanceId }))

  expect(scenario).toMatchObject({ name: 'NO_FAULT', status: 'SUCCESS', outcome: 'SUCCESS', errorSeconds: 0 })
  expect(scenario.verdict).toMatch(/^The release succeeds after .* with 2 pauses; users see no errors\.$/)
  expect(sharesOf(scenario)).toEqual([0, 10, 100])
  expect(stepsOf(scenario)).toEqual([
    ...['INIT', 'REGISTER_RELEASE', 'UPDATE_SERVICE', 'SCALE_UP', 'TEST_TRAFFIC_SHIFT', 'PAUSED', 'CONTINUED'],
    ...['PRODUCTION_TRAFFIC_SHIFT', 'PAUSED', 'CONTINUED', 'PRODUCTION_TRAFFIC_SHIFT', 'BAKE', 'CLEAN_UP', 'COMPLETED'],
  ])
  expect(scenario.peakTaskCount).toBe(4)
  expect(scenario.timeline.find(({ stepCode }) => stepCode === 'PAUSED')?.decideBy, 'when the pause ends').toBeDefined()
  for (const operation of ['UpdateService', 'RegisterTaskDefinition']) {
    const calls = await org.calls(operation, { since: 0 })
    expect(calls.filter(({ accessKeyId }) => accessKeyId.startsWith('ASIA')).length, operation).toBeLessThanOrEqual(1)
  }
  expect((await org.client.done<unknown[]>('GET', '/deployments')).length).toBe(0)
})

test('a composed scenario keeps its faults, and extra tasks cost what the price list says', async () => {
  const org = await world.organization()
  const prices = [
    { resourceType: 'aws_ecs_task', monthly: '1' },
    { resourceType: 'aws_ecs_task', where: { launch_type: 'FARGATE' }, monthly: '730' },
  ]
  await org.client.done('PATCH', '/price-list', { data: { currency: 'EUR', prices } })
  const { moduleInstanceId } = await org.service(canary)
  const faults = [
    { type: 'UNHEALTHY_AFTER_FIRST_SHIFT' as const, trafficPercent: 10 },
    { type: 'CLOUD_THROTTLES' as const },
  ]
  const scenarios = ['NO_FAULT' as const, { name: 'Two at once', faults }]

  const {
    scenarios: [well, composed],
  } = await rehearse(org, { moduleInstanceId, scenarios })

  expect(composed).toMatchObject({ name: 'Two at once', faults, status: 'SUCCESS', outcome: 'ROLLED_BACK' })
  const hours = (well?.extraTaskSeconds ?? 0) / 3_600
  expect(hours, 'extra task hours').toBeGreaterThan(0)
  expect(well?.extraCost?.currency).toBe('EUR')
  expect(Number(well?.extraCost?.amount), 'one euro per task hour').toBeCloseTo(hours, 4)
})

test.for([
  ['a name that is used twice', ['NO_FAULT', 'NO_FAULT'], /scenarios\[1\]: the name NO_FAULT is used twice/],
  [
    'the name of a predefined scenario',
    [{ name: 'TASKS_CRASH', faults: [{ type: 'TASKS_CRASH' }] }],
    /scenarios\[0\]\.name: TASKS_CRASH is the name of a predefined scenario/,
  ],
  [
    'a time of a fault that lasts from the start',
    [{ name: 'Late', faults: [{ type: 'CLOUD_THROTTLES', afterSeconds: 5 }] }],
    /scenarios\[0\]\.faults\[0\]: CLOUD_THROTTLES lasts from the start of the release/,
  ],
  [
    'a fault twice',
    [{ name: 'Twice', faults: [{ type: 'TASKS_CRASH' }, { type: 'TASKS_CRASH' }] }],
    /faults\[1\]\.type: TASKS_CRASH is used twice/,
  ],
  ['an unknown fault', [{ name: 'Earth', faults: [{ type: 'EARTHQUAKE' }] }], /scenarios\[0\]\.faults\[0\]\.type/],
  [
    'a share beyond 100 %',
    [{ name: 'Much', faults: [{ type: 'EXTERNAL_CHANGE', trafficPercent: 150 }] }],
    /scenarios\[0\]\.faults\[0\]\.trafficPercent/,
  ],
  ['an unknown name', ['EARTHQUAKE'], /scenarios\[0\].*TASKS_CRASH/],
] as const)('a rehearsal with %s is rejected, with the place', async ([, scenarios, message]) => {
  const org = await world.organization()
  const { moduleInstanceId } = await org.service()
  const data = { moduleInstanceId, inputs: { image_ref: 'shop/app:2' }, scenarios }
  const { status, body } = await org.client.ask('POST', '/rehearsals', { data })
  expect({ status, body }).toMatchObject({ status: 400 })
  expect(JSON.stringify(body)).toMatch(message)
})

test('the list of rehearsals has the verdicts and leaves the timelines out', async () => {
  const org = await world.organization()
  const { moduleInstanceId } = await org.service()
  const { id, scenarios } = await rehearse(org, { moduleInstanceId })
  const listed = await org.client.done<RehearsalSummary[]>('GET', '/rehearsals')
  const summaries = scenarios.map(({ timeline: _, ...summary }) => summary)
  expect(listed).toMatchObject([{ id, status: 'SUCCESS', scenarios: summaries }])
  expect(listed.flatMap((one) => one.scenarios.flatMap(Object.keys))).not.toContain('timeline')
})

test('a version whose tasks crash is rolled back before any user reaches it', async () => {
  const org = await world.organization()
  const { moduleInstanceId } = await org.service(canary)
  const scenario = only(await rehearse(org, { moduleInstanceId, image: 'shop/app:2-crash' }))
  expect(scenario).toMatchObject({ outcome: 'ROLLED_BACK', errorSeconds: 0 })
  expect(sharesOf(scenario)).toEqual([0])
  expect(scenario.error?.message).toBeDefined()
})

test('a rehearsal is rejected for the same reasons as a deployment', async () => {
  const org = await world.organization()
  const { moduleInstanceId } = await org.service()
  const data = { moduleInstanceId, inputs: { image: 'shop/app:2' } }
  const answers = await Promise.all(
    ['/rehearsals', '/deployments'].map((path) =>
      org.client.ask('POST', path, { data: path === '/deployments' ? { ...data, description: 'x' } : data }),
    ),
  )
  const errors = answers.map(({ status, body }) => [status, (body as { code: string }).code])
  expect(errors[0]).toEqual(errors[1])
  expect(errors[0]).toEqual([400, 'Sluice:Deployments:INPUT_INVALID'])
})

test('values that the connected role cannot read are assumed, and the rehearsal says so', async () => {
  const org = await world.organization()
  const { moduleInstanceId } = await org.service()
  await org.deny('ecs:DescribeClusters', 'ecs:ListTasks')
  const rehearsal = await rehearse(org, { moduleInstanceId })
  expect(only(rehearsal)).toMatchObject({ outcome: 'SUCCESS' })
  for (const what of ['The cluster', 'The start-up time of tasks']) {
    expect(rehearsal.assumptions, what).toContainEqual(expect.stringContaining(`${what} could not be read`))
  }
})

test('a rehearsal of a service that the role cannot read fails with the reason', async () => {
  const org = await world.organization()
  const { moduleInstanceId } = await org.service()
  await org.deny('ecs:DescribeServices')
  const { status, error } = await rehearse(org, { moduleInstanceId })
  expect(status).toBe('ERROR')
  expect(error?.message).toMatch(
    /^What the release changes cannot be copied: AccessDenied.* Give the connected role read access\.$/,
  )
})

test('a rehearsed function shifts its calls in steps, and nothing is published', async () => {
  const org = await world.organization()
  const fn = await testFunction(org, {
    strategy: {
      type: 'canary',
      bake_time_in_minutes: 5,
      canary: { canary_percent: 10, canary_bake_time_in_minutes: 5 },
    },
  })
  const data = { moduleInstanceId: fn.moduleInstanceId, inputs: { s3_key: 'v2.zip' }, scenarios: ['NO_FAULT'] }

  const rehearsal = await untilFinished(org, await org.client.done<Rehearsal>('POST', '/rehearsals', { data }))

  const scenario = only(rehearsal)
  expect(scenario).toMatchObject({ outcome: 'SUCCESS', errorSeconds: 0 })
  expect(sharesOf(scenario)).toEqual([0, 10, 100])
  expect(stepsOf(scenario)).toEqual([
    ...['INIT', 'UPDATE_CODE', 'PUBLISH_VERSION', 'PRODUCTION_TRAFFIC_SHIFT', 'PRODUCTION_TRAFFIC_SHIFT'],
    ...['BAKE', 'COMPLETED'],
  ])
  expect(await fn.versions(), 'published versions').toEqual(['1'])
  const updates = await org.calls('UpdateFunctionCode', { accepted: true })
  expect(
    updates.filter(({ request }) => !(request as { DryRun?: boolean }).DryRun),
    'updates of the code',
  ).toEqual([])
})

test.for([
  ['ALARM_DURING_BAKE', 'cloud:lambda'],
  ['CAPACITY_UNAVAILABLE', 'cloud:lambda'],
] as const)('the scenario %s is rejected for a release of type %s', async ([scenario, type]) => {
  const org = await world.organization()
  const { moduleInstanceId } = await testFunction(org)
  const data = { moduleInstanceId, inputs: { s3_key: 'v2.zip' }, scenarios: ['NO_FAULT', scenario] }
  const { status, body } = await org.client.ask('POST', '/rehearsals', { data })
  expect({ status, body }).toMatchObject({ status: 422, body: { code: 'Sluice:Rehearsals:NOT_SUPPORTED' } })
  expect((body as { message: string }).message).toContain(`of type ${type} in the scenario ${scenario}.`)
})

test('a rehearsed group updates one instance after the other, and sends no command', async () => {
  const org = await world.organization()
  const group = await createGroup(world, org, { size: 2 })
  await untilReachable(org, group, 2)

  const scenario = only(await rehearse(org, { moduleInstanceId: group.moduleInstanceId }))

  expect(scenario).toMatchObject({ outcome: 'SUCCESS', errorSeconds: 0, peakTaskCount: 2 })
  expect(sharesOf(scenario)).toEqual([0, 50, 100])
  expect(await org.calls('SendCommand')).toEqual([])
})

test('a rehearsed static site serves the new directory, and the key value store stays as it is', async () => {
  const org = await world.organization()
  const site = await createTestSite(world, org, { paths: ['/*'], keep: 1, active: 'r/1' })
  await site.release('r/1')
  const data = { moduleInstanceId: site.moduleInstanceId, inputs: { directory: 'r/2' }, scenarios: ['NO_FAULT'] }

  const scenario = only(await untilFinished(org, await org.client.done<Rehearsal>('POST', '/rehearsals', { data })))

  expect(scenario).toMatchObject({ outcome: 'SUCCESS', errorSeconds: 0 })
  expect(sharesOf(scenario)).toEqual([0, 100])
  expect(stepsOf(scenario)).toEqual(['INIT', 'PROMOTE', 'INVALIDATE', 'CLEAN_UP', 'COMPLETED'])
  expect(scenario.timeline.map(({ message }) => message)).toContain('Deleting r/1.')
  expect(await site.active()).toBe('r/1')
  expect(await site.directories()).toEqual(['r/1', 'r/2'])
})

test('a rehearsed rollback returns to the earlier release without its pauses, and releases nothing', async () => {
  const org = await world.organization()
  const { moduleInstanceId } = await org.service()
  const { id } = await org.deploy(moduleInstanceId, 'shop/app:2')
  await org.untilStatus(id, 'SUCCESS')
  await org.untilStatus((await org.deploy(moduleInstanceId, 'shop/app:3')).id, 'SUCCESS')
  const data = { moduleInstanceId, rollbackToDeploymentId: id, scenarios: ['NO_FAULT'] }

  const rehearsal = await untilFinished(org, await org.client.done<Rehearsal>('POST', '/rehearsals', { data }))

  expect(rehearsal.rollbackToDeploymentId).toBe(id)
  const scenario = only(rehearsal)
  expect(scenario).toMatchObject({ outcome: 'SUCCESS', errorSeconds: 0 })
  expect(stepsOf(scenario)).not.toContain('PAUSED')
  expect(sharesOf(scenario).at(-1)).toBe(100)
  expect((await org.client.done<unknown[]>('GET', '/deployments')).length).toBe(2)

  const [newest] = await org.client.done<Deployment[]>('GET', '/deployments')
  await org.untilStatus(
    (await org.client.done<Deployment>('POST', `/deployments/${newest?.id}/rollback`, { data: {} })).id,
    'SUCCESS',
  )
  const newer = { moduleInstanceId, rollbackToDeploymentId: newest?.id }
  expect(await org.client.ask('POST', '/rehearsals', { data: newer }), 'a release that was rolled back').toMatchObject({
    status: 422,
    body: { code: 'Sluice:Deployments:ROLLBACK_TARGET_NEWER' },
  })
})

test.for([
  ['a deployment of another instance', 'it is of the module instance'],
  ['a deployment of another organization', 'there is no such deployment'],
] as const)('a rehearsed rollback to %s is rejected', async ([which, reason]) => {
  const org = await world.organization()
  const { moduleInstanceId } = await org.service()
  const other = which.includes('organization') ? await world.organization() : org
  const release = async (owner: TestOrganization, instanceId: string) => {
    const { id } = await owner.deploy(instanceId, 'shop/app:2')
    return owner.untilStatus(id, 'SUCCESS')
  }
  await release(org, moduleInstanceId)
  const { id } = await release(other, (await other.service()).moduleInstanceId)
  const data = { moduleInstanceId, rollbackToDeploymentId: id }
  const { status, body } = await org.client.ask('POST', '/rehearsals', { data })
  expect({ status, body }).toMatchObject({ status: 422, body: { code: 'Sluice:Deployments:ROLLBACK_TARGET_INVALID' } })
  expect((body as { message: string }).message).toContain(reason)
})

test('a rehearsed rollback has the inputs of its release, and no others', async () => {
  const org = await world.organization()
  const { moduleInstanceId } = await org.service()
  const data = { moduleInstanceId, rollbackToDeploymentId: 'dep_1', inputs: { image_ref: 'shop/app:2' } }
  expect(await org.client.ask('POST', '/rehearsals', { data })).toMatchObject({ status: 400 })
})

test('a viewer can see rehearsals and cannot start one', async () => {
  const org = await world.organization()
  const { moduleInstanceId } = await org.service()
  const viewer = await org.member('VIEWER')
  const data = { moduleInstanceId, inputs: { image_ref: 'shop/app:2' } }
  expect(await viewer.ask('POST', '/rehearsals', { data })).toMatchObject({ status: 403 })
  expect(await viewer.ask('GET', '/rehearsals')).toMatchObject({ status: 200 })
})
