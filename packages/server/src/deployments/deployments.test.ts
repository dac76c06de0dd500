import { DescribeServicesCommand, UpdateServiceCommand } from '@aws-sdk/client-ecs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { pausesOf, startWorld, stepsOf, type World } from '../testing/world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world[Symbol.asyncDispose]())

const pauseBeforeShift = [
  { stage: 'PRE_PRODUCTION_TRAFFIC_SHIFT', timeout_in_minutes: 600, timeout_action: 'ROLLBACK' },
]
const canary = {
  type: 'canary',
  bake_time_in_minutes: 1,
  canary: { canary_percent: 10, canary_bake_time_in_minutes: 1 },
  pause_stages: pauseBeforeShift,
}

describe('a canary release', () => {
  test('pauses before each shift, goes on when continued, and succeeds', async () => {
    const org = await world.organization()
    const { moduleInstanceId, serviceArn } = await org.service(canary)
    const accepted = await org.deploy(moduleInstanceId)
    expect(accepted).toMatchObject({
      status: 'PENDING',
      deploymentType: 'cloud:ecs',
      triggerSource: 'API',
      resourceArn: serviceArn,
    })

    const first = await org.untilPaused(accepted.id)
    await org.continue(accepted.id)
    const second = await org.untilPaused(accepted.id, [first])
    await org.continue(accepted.id, second)
    const done = await org.untilStatus(accepted.id, 'SUCCESS')

    expect(pausesOf(done)).toEqual([first, second])
    expect(stepsOf(done)).toEqual([
      'INIT',
      'REGISTER_RELEASE',
      'UPDATE_SERVICE',
      'SCALE_UP',
      'TEST_TRAFFIC_SHIFT',
      'PAUSED',
      'CONTINUED',
      'PRODUCTION_TRAFFIC_SHIFT',
      'PAUSED',
      'CONTINUED',
      'PRODUCTION_TRAFFIC_SHIFT',
      'BAKE',
      'CLEAN_UP',
      'COMPLETED',
    ])
  })
})

test('a release keeps what was set on the service by other means: alarms and percentages', async () => {
  const org = await world.organization()
  const { moduleInstanceId, input } = await org.service()
  const alarms = { alarmNames: ['errors'], enable: true, rollback: true }
  const deploymentConfiguration = { minimumHealthyPercent: 50, maximumPercent: 150, alarms }
  const place = { cluster: input.cluster_arn, service: input.service_arn }
  await org.clients.ecs.send(new UpdateServiceCommand({ ...place, deploymentConfiguration }))

  const { id } = await org.deploy(moduleInstanceId)
  await org.untilStatus(id, 'SUCCESS')
  const { services = [] } = await org.clients.ecs.send(
    new DescribeServicesCommand({ cluster: place.cluster, services: [place.service] }),
  )
  expect(services[0]?.deploymentConfiguration).toMatchObject(deploymentConfiguration)
})
