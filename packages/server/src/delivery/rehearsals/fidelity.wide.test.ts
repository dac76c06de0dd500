import type { Deployment, Rehearsal, RehearsalScenario, RehearsalScenarioName } from '@sluice/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually } from '../../testing/eventually.ts'
import { type TestFunction, testFunction } from '../../testing/functions.ts'
import { createGroup, runsOf, untilReachable } from '../../testing/machine-group.ts'
import { createTestSite } from '../../testing/static-site.ts'
import { canary as shortCanary } from '../../testing/strategies.ts'
import { trafficOf } from '../../testing/traffic.ts'
import { startWorld, stepsOf, type TestOrganization, type TestService, type World } from '../../testing/world.ts'
import { isFinal } from '../deployments/execution/machine.ts'

/** Speed of the simulated cloud: one minute takes three seconds. */
const speed = 20
/**
 * Maximum deviation between rehearsal and release. Bakes last many minutes, so that delays of a busy machine do not
 * matter.
 */
const maxDeviation = 0.1

let world: World
beforeAll(async () => {
  world = await startWorld({ speed, clockEpoch: new Date() })
})
afterAll(() => world?.[Symbol.asyncDispose]())

const strategies = {
  rolling: null,
  blue_green: { type: 'blue_green', bake_time_in_minutes: 30 },
  canary: {
    type: 'canary',
    bake_time_in_minutes: 15,
    canary: { canary_percent: 10, canary_bake_time_in_minutes: 15 },
  },
  linear: {
    type: 'linear',
    bake_time_in_minutes: 8,
    linear: { step_percentage: 25, step_bake_time_in_minutes: 8 },
  },
} as const

type Request = {
  moduleInstanceId: string
  inputs?: Record<string, unknown>
  rollbackToDeploymentId?: string
  name?: RehearsalScenarioName
}

async function rehearse({ client }: TestOrganization, { name = 'NO_FAULT', ...what }: Request) {
  const data = { ...what, scenarios: [name] }
  const { id } = await client.done<Rehearsal>('POST', '/rehearsals', { data })
  const get = () => client.done<Rehearsal>('GET', `/rehearsals/${id}`)
  const { error, scenarios } = await eventually(
    `${id} to finish`,
    get,
    ({ status }) => status === 'SUCCESS' || status === 'ERROR',
    300_000,
  )
  expect(error).toBeUndefined()
  const [scenario] = scenarios
  if (!scenario) throw new Error('the rehearsal has no scenario')
  return scenario
}

/**
 * Starts a release, waits until it has ended, and returns the shares of the new version: before it, because a short
 * release can shift traffic before it is seen to begin, and during it.
 */
async function watch(org: TestOrganization, start: () => Promise<{ id: string }>, readShare: () => Promise<number>) {
  const shares = [await readShare()]
  const { id } = await start()
  let deployment: Deployment = await org.get(id)
  while (!isFinal(deployment.status)) {
    const share = await readShare()
    if (shares.at(-1) !== share) shares.push(share)
    deployment = await org.get(id)
  }
  return { deployment, shares }
}

/** Returns the traffic share of the alternate target group. */
const shareOfService = async (org: TestOrganization, { input }: TestService) =>
  (await trafficOf(org.clients, input.production_listener_rule_arn))[input.alternate_target_group_arn] ?? 0

/** Returns the share of the calls that go to version 2 of a function. */
async function shareOfFunction({ alias }: TestFunction) {
  const { FunctionVersion, RoutingConfig } = await alias()
  return FunctionVersion === '2' ? 100 : Math.round((RoutingConfig?.AdditionalVersionWeights?.['2'] ?? 0) * 100)
}

function expectAsRehearsed(rehearsed: RehearsalScenario, deployment: Deployment) {
  expect(rehearsed.outcome, 'outcome').toBe(deployment.status)
  const steps = rehearsed.timeline.flatMap(({ stepCode }) => stepCode ?? [])
  expect(steps, 'stages in their order').toEqual(stepsOf(deployment))
  expect(rehearsed.error?.message, 'error').toBe(deployment.error?.message)
  expect(rehearsed.errorSeconds, 'seconds in which users see errors').toBe(0)
}

function expectSameDuration({ durationSeconds = 0 }: RehearsalScenario, deployment: Deployment) {
  const deviation = Math.abs(durationSeconds / 60 / minutesOf(deployment) - 1)
  expect(deviation, `${durationSeconds} s against ${minutesOf(deployment)} min`).toBeLessThan(maxDeviation)
}

const minutesOf = ({ startedAt = '', completedAt = '' }: Deployment) =>
  (Date.parse(completedAt) - Date.parse(startedAt)) / 60_000

/** Returns the traffic shares of a scenario in order, without repetitions. */
const sharesOf = ({ timeline }: RehearsalScenario): number[] =>
  timeline.map((one) => one.newTrafficPercent).filter((share, index, all) => share !== all[index - 1])

test.concurrent.for([
  ['rolling', 'shop/app:2'],
  ['blue_green', 'shop/app:2'],
  ['canary', 'shop/app:2'],
  ['linear', 'shop/app:2'],
  ['canary', 'shop/app:2-crash'],
] as const)('a %s release of %s proceeds as rehearsed', async ([type, image]) => {
  const org = await world.organization()
  const service = await org.service(strategies[type])

  const { moduleInstanceId } = service
  const rehearsed = await rehearse(org, { moduleInstanceId, inputs: { image_ref: image } })
  const start = () => org.deploy(moduleInstanceId, image)
  const { deployment, shares } = await watch(org, start, () => shareOfService(org, service))

  expectAsRehearsed(rehearsed, deployment)
  if (type === 'rolling') return
  expect(sharesOf(rehearsed), 'traffic').toEqual(shares)
  if (deployment.status === 'SUCCESS') expectSameDuration(rehearsed, deployment)
})

test.concurrent.for([['shop/app:2'], ['shop/app:2-crash']] as const)(
  'a release of %s to a group of instances proceeds as rehearsed',
  async ([image]) => {
    const org = await world.organization()
    const group = await createGroup(world, org)
    await untilReachable(org, group, 3)
    const { moduleInstanceId } = group
    const rehearsed = await rehearse(org, { moduleInstanceId, inputs: { image_ref: image } })
    const readShare = async () => {
      const runs = await runsOf(world, group)
      return Math.round((runs.filter((one) => one === image).length / runs.length) * 1_000) / 10
    }
    const { deployment, shares } = await watch(org, () => org.deploy(moduleInstanceId, image), readShare)

    expectAsRehearsed(rehearsed, deployment)
    // A share lasts for one second, which a busy machine can miss.
    const rehearsedShares = sharesOf(rehearsed)
    expect(
      rehearsedShares.filter((share, index) => shares.includes(share) || index === rehearsedShares.length - 1),
      'traffic',
    ).toEqual(shares)
  },
)

test.concurrent('a release of a static site proceeds as rehearsed', async () => {
  const org = await world.organization()
  const site = await createTestSite(world, org, { paths: ['/*'], keep: 1 })
  await site.release('r/1')
  const { moduleInstanceId } = site
  const rehearsed = await rehearse(org, { moduleInstanceId, inputs: { directory: 'r/2' } })
  const readShare = async () => ((await site.active()) === 'r/2' ? 100 : 0)
  const { deployment, shares } = await watch(org, () => site.deploy('r/2'), readShare)

  expectAsRehearsed(rehearsed, deployment)
  expect(sharesOf(rehearsed), 'traffic').toEqual(shares)
})

const functionStrategies = {
  all_at_once: { type: 'all_at_once', bake_time_in_minutes: 30 },
  canary: strategies.canary,
  linear: strategies.linear,
} as const

test.concurrent.for([
  ['all_at_once', 'v2'],
  ['canary', 'v2'],
  ['linear', 'v2'],
  ['canary', 'v2-inactive'],
] as const)('a %s release of a function with the code %s proceeds as rehearsed', async ([type, code]) => {
  const org = await world.organization()
  const fn = await testFunction(org, { strategy: functionStrategies[type] })

  const { moduleInstanceId } = fn
  const name = code === 'v2' ? 'NO_FAULT' : 'TASKS_CRASH'
  const rehearsed = await rehearse(org, { moduleInstanceId, inputs: { s3_key: `${code}.zip` }, name })
  const { deployment, shares } = await watch(
    org,
    () => fn.deploy(code),
    () => shareOfFunction(fn),
  )

  expectAsRehearsed(rehearsed, deployment)
  expect(sharesOf(rehearsed), 'traffic').toEqual(shares)
  if (deployment.status === 'SUCCESS') expectSameDuration(rehearsed, deployment)
})

test.concurrent('a rollback of a canary proceeds as rehearsed', async () => {
  const org = await world.organization()
  const service = await org.service(shortCanary)
  const { moduleInstanceId } = service
  const { id: first } = await org.deploy(moduleInstanceId, 'shop/app:2')
  await org.untilStatus(first, 'SUCCESS')
  const { id: second } = await org.deploy(moduleInstanceId, 'shop/app:3')
  await org.untilStatus(second, 'SUCCESS')
  const rehearsed = await rehearse(org, { moduleInstanceId, rollbackToDeploymentId: first })
  const before = await shareOfService(org, service)
  const start = () => org.client.done<Deployment>('POST', `/deployments/${second}/rollback`, { data: {} })
  const { deployment, shares } = await watch(org, start, async () =>
    Math.abs((await shareOfService(org, service)) - before),
  )

  expectAsRehearsed(rehearsed, deployment)
  expect(sharesOf(rehearsed), 'traffic').toEqual(shares)
})

test.concurrent('a rollback of a function proceeds as rehearsed', async () => {
  const org = await world.organization()
  const fn = await testFunction(org, { strategy: { type: 'all_at_once', bake_time_in_minutes: 0 } })
  const { moduleInstanceId } = fn
  const { id: first } = await fn.deploy('v2')
  await org.untilStatus(first, 'SUCCESS')
  const { id: second } = await fn.deploy('v3')
  await org.untilStatus(second, 'SUCCESS')
  const rehearsed = await rehearse(org, { moduleInstanceId, rollbackToDeploymentId: first })
  const start = () => org.client.done<Deployment>('POST', `/deployments/${second}/rollback`, { data: {} })
  const { deployment, shares } = await watch(org, start, () => shareOfFunction(fn))

  expectAsRehearsed(rehearsed, deployment)
  expect(sharesOf(rehearsed), 'traffic').toEqual(shares)
})
