import { CreateClusterCommand } from '@aws-sdk/client-ecs'
import { expect, test } from 'vitest'
import { untilPasses } from '../../../testing/until-passes.ts'
import { account, createRestingService, deploy, describeDeployment, startCloud, waitForPause } from './testing/cloud.ts'
import { startReceiver } from './testing/receiver.ts'

const pause = {
  strategy: 'BLUE_GREEN' as const,
  bakeTimeInMinutes: 0,
  lifecycleHooks: [{ targetType: 'PAUSE' as const, lifecycleStages: ['POST_SCALE_UP' as const] }],
}

test('a pause is delivered to the registered URL with its headers, in the format of EventBridge', async () => {
  await using cloud = await startCloud()
  await using receiver = await startReceiver()
  await createRestingService(cloud)
  await cloud.control.putDelivery({ account, url: receiver.url, headers: { 'x-secret': 'abc' } })
  const { arn } = await deploy(cloud, 'web:2', pause)
  const paused = await waitForPause(cloud, arn)
  const hooks = () => receiver.received.filter(({ event }) => event['detail-type'] === 'ECS Hook State Change')
  await untilPasses(() => expect(hooks()).toHaveLength(1))
  expect(hooks()[0]?.headers).toMatchObject({
    'x-secret': 'abc',
    'user-agent': 'Amazon/EventBridge/ApiDestinations',
    'content-type': 'application/json; charset=utf-8',
  })
  expect(hooks()[0]?.event).toMatchObject({
    version: '0',
    source: 'aws.ecs',
    account,
    region: 'eu-west-1',
    resources: [arn],
    detail: {
      eventName: 'HOOK_AWAITING_ACTION',
      hookId: paused.lifecycleHookDetails?.[0]?.hookId,
      hookType: 'PAUSE',
      lifecycleStage: 'POST_SCALE_UP',
      serviceDeploymentArn: arn,
    },
  })
})

test('an event rejected with a retryable status is delivered again until it is accepted', async () => {
  await using cloud = await startCloud()
  await using receiver = await startReceiver([503, 429, 500])
  await createRestingService(cloud)
  await cloud.control.putDelivery({ account, url: receiver.url })
  await deploy(cloud, 'web:2', pause)
  await untilPasses(async () => expect((await cloud.control.delivery()).pending).toBe(0))
  const ids = receiver.received.map(({ event }) => event.id)
  expect(ids.length).toBe(new Set(ids).size + 3)
})

test('a receiver can request a delay', async () => {
  await using cloud = await startCloud()
  await using receiver = await startReceiver([429], { headers: { 'retry-after': '1' } })
  await createRestingService(cloud)
  await cloud.control.putDelivery({ account, url: receiver.url })
  await deploy(cloud, 'web:2', pause)
  await untilPasses(async () => expect((await cloud.control.delivery()).pending).toBe(0))
  const [refused] = receiver.received
  const copies = receiver.received.filter(({ event }) => event.id === refused?.event.id)
  expect(copies).toHaveLength(2)
  expect((copies[1]?.at ?? 0) - (copies[0]?.at ?? 0)).toBeGreaterThanOrEqual(1000)
})

test('an event rejected with a permanent status is not delivered again', async () => {
  await using cloud = await startCloud()
  await using receiver = await startReceiver(Array.from({ length: 100 }, () => 404))
  await createRestingService(cloud)
  await cloud.control.putDelivery({ account, url: receiver.url })
  await deploy(cloud, 'web:2', pause)
  await untilPasses(async () => expect((await cloud.control.delivery()).pending).toBe(0))
  const ids = receiver.received.map(({ event }) => event.id)
  expect(ids.length).toBeGreaterThan(0)
  expect(ids.length).toBe(new Set(ids).size)
})

test('undelivered events survive a restart', async () => {
  await using cloud = await startCloud()
  await createRestingService(cloud)
  const gone = await startReceiver()
  await gone[Symbol.asyncDispose]()
  await cloud.control.putDelivery({ account, url: gone.url })
  const { arn } = await deploy(cloud, 'web:2', pause)
  await waitForPause(cloud, arn)
  const { pending } = await cloud.control.delivery()
  expect(pending).toBeGreaterThan(0)
  await cloud.killAndRestart()
  await using back = await startReceiver([], { port: gone.port })
  await untilPasses(async () => expect((await cloud.control.delivery()).pending).toBe(0))
  expect(new Set(back.received.map(({ event }) => event.id)).size).toBe(pending)
})

test('duplicates, losses and reordering can be injected', async () => {
  await using cloud = await startCloud()
  await using receiver = await startReceiver()
  await createRestingService(cloud)
  await cloud.control.putDelivery({ account, url: receiver.url })
  await cloud.control.setDeliveryFaults({ drop: 1 })
  const { arn } = await deploy(cloud, 'web:2', pause)
  await waitForPause(cloud, arn)
  await untilPasses(async () => expect((await cloud.control.delivery()).pending).toBe(0))
  expect(receiver.received).toHaveLength(0)

  await cloud.control.setDeliveryFaults({ duplicate: 1, shuffle: true })
  await deploy(cloud, 'web:3', pause)
  await cloud.control.advance(60)
  await untilPasses(async () => expect((await cloud.control.delivery()).pending).toBe(0))
  const ids = receiver.received.map(({ event }) => event.id)
  expect(ids.length).toBe(2 * new Set(ids).size)
  expect((await describeDeployment(cloud, arn)).status).toBe('STOPPED')
})

test('an account receives only its own events', async () => {
  await using cloud = await startCloud()
  await using receiver = await startReceiver()
  await cloud.control.putDelivery({ account: '111122223333', url: receiver.url })
  await cloud.ecs.send(new CreateClusterCommand({ clusterName: 'other' }))
  await createRestingService(cloud)
  expect((await cloud.control.delivery()).pending).toBe(0)
  expect(receiver.received).toHaveLength(0)
})
