import {
  CreateClusterCommand,
  DescribeClustersCommand,
  DescribeTasksCommand,
  ListTasksCommand,
  RunTaskCommand,
  StopTaskCommand,
} from '@aws-sdk/client-ecs'
import { DescribeTargetHealthCommand } from '@aws-sdk/client-elastic-load-balancing-v2'
import { expect, test } from 'vitest'
import { untilPasses } from '../../../../testing/until-passes.ts'
import {
  account,
  createRestingService,
  onFargate,
  registerTaskDefinition,
  startCloud,
  type TestCloud,
} from '../testing/cloud.ts'
import { startReceiver } from '../testing/receiver.ts'

async function describe(cloud: TestCloud, taskArn: string) {
  const { tasks } = await cloud.ecs.send(new DescribeTasksCommand({ cluster: 'main', tasks: [taskArn] }))
  const [task] = tasks ?? []
  if (!task) throw new Error(`DescribeTasks returns no task ${taskArn}.`)
  return task
}

/** Advances the clock by seconds and returns how many seconds a task spends in each status until STOPPED. */
async function secondsByStatus(cloud: TestCloud, taskArn: string): Promise<Record<string, number>> {
  const spent: Record<string, number> = {}
  for (;;) {
    const { lastStatus = '' } = await describe(cloud, taskArn)
    if (lastStatus === 'STOPPED') return spent
    spent[lastStatus] = (spent[lastStatus] ?? 0) + 1
    await cloud.control.advance(1)
  }
}

test('a task of a service passes every status in the documented order, with an event for each', async () => {
  await using cloud = await startCloud()
  await using receiver = await startReceiver()
  await cloud.control.putDelivery({ account, url: receiver.url })
  const { loadBalancer } = await createRestingService(cloud)
  const { taskArns } = await cloud.ecs.send(new ListTasksCommand({ cluster: 'main', serviceName: 'web' }))
  const [taskArn = ''] = taskArns ?? []
  await cloud.ecs.send(new StopTaskCommand({ cluster: 'main', task: taskArn }))
  const { TargetHealthDescriptions: draining } = await cloud.elb.send(
    new DescribeTargetHealthCommand({ TargetGroupArn: loadBalancer?.targetGroupArn }),
  )
  expect(draining?.map(({ TargetHealth }) => TargetHealth?.State)).toContain('draining')
  expect(await secondsByStatus(cloud, taskArn)).toEqual({ DEACTIVATING: 4, STOPPING: 4, DEPROVISIONING: 2 })
  const stopped = await describe(cloud, taskArn)
  expect(stopped.executionStoppedAt?.getTime()).toBeLessThan(stopped.stoppedAt?.getTime() ?? 0)
  await untilPasses(() => {
    const events = receiver.received
      .filter((received) => received.event['detail-type'] === 'ECS Task State Change')
      .map(({ event }) => event.detail as { taskArn: string; lastStatus: string; version: number })
      .filter((detail) => detail.taskArn === taskArn)
      .toSorted((one, other) => one.version - other.version)
    expect(events.map(({ lastStatus }) => lastStatus)).toEqual([
      ...['PROVISIONING', 'PENDING', 'ACTIVATING', 'RUNNING'],
      ...['DEACTIVATING', 'STOPPING', 'DEPROVISIONING', 'STOPPED'],
    ])
  })
})

test('a task whose image cannot be pulled goes from ACTIVATING to DEPROVISIONING and counts as pending before', async () => {
  await using cloud = await startCloud()
  await cloud.ecs.send(new CreateClusterCommand({ clusterName: 'main' }))
  const taskDefinition = await registerTaskDefinition(cloud, 'web:1-missing')
  const { tasks } = await cloud.ecs.send(new RunTaskCommand({ cluster: 'main', taskDefinition, ...onFargate }))
  await cloud.control.advance(10)
  const { clusters } = await cloud.ecs.send(new DescribeClustersCommand({ clusters: ['main'] }))
  expect(clusters).toMatchObject([{ pendingTasksCount: 1, runningTasksCount: 0 }])
  const spent = await secondsByStatus(cloud, tasks?.[0]?.taskArn ?? '')
  expect(spent).toEqual({ ACTIVATING: 10, DEPROVISIONING: 2 })
})
