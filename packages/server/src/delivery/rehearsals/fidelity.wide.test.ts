import type { Deployment, Rehearsal, RehearsalScenario } from '@sluice/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually } from '../../testing/eventually.ts'
import { trafficOf } from '../../testing/traffic.ts'
import { startWorld, stepsOf, type TestOrganization, type TestService, type World } from '../../testing/world.ts'
import { isFinal } from '../deployments/execution/machine.ts'

/** Speed of the simulated cloud: one minute takes one second. */
const speed = 60
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
  blue_green: { type: 'blue_green', bake_time_in_minutes: 15 },
  canary: {
    type: 'canary',
    bake_time_in_minutes: 10,
    canary: { canary_percent: 10, canary_bake_time_in_minutes: 10 },
  },
  linear: {
    type: 'linear',
    bake_time_in_minutes: 5,
    linear: { step_percentage: 25, step_bake_time_in_minutes: 5 },
  },
} as const

async function rehearse({ client }: TestOrganization, { moduleInstanceId }: TestService, image: string) {
  const data = { moduleInstanceId, inputs: { image_ref: image }, scenarios: ['NO_FAULT'] }
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

/** Executes a release and returns the traffic shares of the alternate target group during it. */
async function release(org: TestOrganization, { moduleInstanceId, input }: TestService, image: string) {
  const { id } = await org.deploy(moduleInstanceId, image)
  const shares: number[] = []
  let deployment: Deployment = await org.get(id)
  while (!isFinal(deployment.status)) {
    const share =
      (await trafficOf(org.clients, input.production_listener_rule_arn))[input.alternate_target_group_arn] ?? 0
    if (shares.at(-1) !== share) shares.push(share)
    deployment = await org.get(id)
  }
  return { deployment, shares }
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

  const rehearsed = await rehearse(org, service, image)
  const { deployment, shares } = await release(org, service, image)

  expect(rehearsed.outcome, 'outcome').toBe(deployment.status)
  const steps = rehearsed.timeline.flatMap(({ stepCode }) => stepCode ?? [])
  expect(steps, 'stages in their order').toEqual(stepsOf(deployment))
  expect(rehearsed.error?.message, 'error').toBe(deployment.error?.message)
  expect(rehearsed.errorSeconds, 'seconds in which users see errors').toBe(0)
  if (type !== 'rolling') expect(sharesOf(rehearsed), 'traffic').toEqual(shares)
  const deviation = Math.abs((rehearsed.durationSeconds ?? 0) / 60 / minutesOf(deployment) - 1)
  if (type !== 'rolling' && deployment.status === 'SUCCESS') {
    expect(deviation, `${rehearsed.durationSeconds} s against ${minutesOf(deployment)} min`).toBeLessThan(maxDeviation)
  }
})
