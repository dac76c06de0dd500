import { CloudWatchClient, PutMetricAlarmCommand, SetAlarmStateCommand } from '@aws-sdk/client-cloudwatch'
import {
  CreateClusterCommand,
  CreateServiceCommand,
  DescribeTasksCommand,
  ListTasksCommand,
  type ServiceDeployment,
  StopServiceDeploymentCommand,
  StopTaskCommand,
  UpdateServiceCommand,
} from '@aws-sdk/client-ecs'
import { expect, test } from 'vitest'
import {
  createRestingService,
  deploy,
  describeDeployment,
  describeService,
  isFinal,
  listDeployments,
  onFargate,
  registerTaskDefinition,
  ruleWeights,
  startCloud,
  type TestCloud,
  until,
  waitForEnd,
  waitForPause,
} from './testing/cloud.ts'

const breaker = (rollback: boolean) => ({ deploymentCircuitBreaker: { enable: true, rollback } })
const blueGreen = { strategy: 'BLUE_GREEN' as const, bakeTimeInMinutes: 0 }
const pausing = (stage: 'POST_SCALE_UP' | 'POST_PRODUCTION_TRAFFIC_SHIFT') => ({
  ...blueGreen,
  lifecycleHooks: [{ targetType: 'PAUSE' as const, lifecycleStages: [stage] }],
})

async function stoppedTasks(cloud: TestCloud, startedBy: string) {
  const list = { cluster: 'main', desiredStatus: 'STOPPED' as const }
  const { taskArns = [] } = await cloud.ecs.send(new ListTasksCommand(list))
  if (taskArns.length === 0) return []
  const { tasks } = await cloud.ecs.send(new DescribeTasksCommand({ cluster: 'main', tasks: taskArns }))
  return (tasks ?? []).filter((task) => task.startedBy === startedBy)
}

test.for([
  ['web:2-crash', { stopCode: 'EssentialContainerExited', containers: [{ exitCode: 1 }] }],
  [
    'web:2-missing',
    { stopCode: 'TaskFailedToStart', stoppedReason: expect.stringContaining('CannotPullContainerError') },
  ],
  [
    'web:2-unhealthy',
    {
      stopCode: 'ServiceSchedulerInitiated',
      stoppedReason: expect.stringContaining(
        'Task failed ELB health checks in (target-group arn:aws:elasticloadbalancing:',
      ),
    },
  ],
] as const)('the circuit breaker rolls %s back, and the tasks have the reason', async ([image, reason]) => {
  await using cloud = await startCloud()
  const { taskDefinition: before } = await createRestingService(cloud)
  const { arn, number } = await deploy(cloud, image, breaker(true))
  const ended = await waitForEnd(cloud, arn)
  expect(ended).toMatchObject({
    status: 'ROLLBACK_SUCCESSFUL',
    deploymentCircuitBreaker: { status: 'TRIGGERED', threshold: 3 },
    rollback: { reason: expect.stringContaining('circuit breaker') },
  })
  expect(ended.deploymentCircuitBreaker?.failureCount).toBeGreaterThanOrEqual(3)
  const tasks = await stoppedTasks(cloud, `ecs-svc/${number}`)
  expect(tasks.find(({ stoppedReason }) => !stoppedReason?.startsWith('Scaling'))).toMatchObject(reason)
  const service = await describeService(cloud)
  expect([service.taskDefinition, service.runningCount]).toEqual([before, 2])
  const failed = service.deployments?.find(({ id }) => id === `ecs-svc/${number}`)
  expect(failed).toMatchObject({ status: 'ACTIVE', rolloutState: 'FAILED', runningCount: 0 })
})

test('the circuit breaker rolls a blue/green deployment back during scale-up', async () => {
  await using cloud = await startCloud()
  const { loadBalancer } = await createRestingService(cloud)
  const { arn } = await deploy(cloud, 'web:2-crash', { ...blueGreen, ...breaker(true) })
  expect((await waitForEnd(cloud, arn)).status).toBe('ROLLBACK_SUCCESSFUL')
  const weights = await ruleWeights(cloud, loadBalancer?.advancedConfiguration?.productionListenerRule)
  expect(weights[loadBalancer?.targetGroupArn ?? '']).toBe(100)
})

test('without rollback the circuit breaker stops the deployment, and nothing more is launched', async () => {
  await using cloud = await startCloud()
  await createRestingService(cloud)
  const { arn, number } = await deploy(cloud, 'web:2-crash', breaker(false))
  expect(await waitForEnd(cloud, arn)).toMatchObject({
    status: 'STOPPED',
    statusReason: expect.stringContaining('circuit breaker'),
    deploymentCircuitBreaker: { status: 'TRIGGERED' },
  })
  const { length } = await stoppedTasks(cloud, `ecs-svc/${number}`)
  await cloud.control.advance(600)
  expect(await stoppedTasks(cloud, `ecs-svc/${number}`)).toHaveLength(length)
})

test('without a circuit breaker the scheduler retries forever, with increasing delays', async () => {
  await using cloud = await startCloud()
  await createRestingService(cloud)
  const { arn, number } = await deploy(cloud, 'web:2-crash')
  await cloud.control.advance(1800)
  const before =
    (await describeService(cloud)).deployments?.find(({ id }) => id === `ecs-svc/${number}`)?.failedTasks ?? 0
  await cloud.control.advance(1800)
  const { deployments, events } = await describeService(cloud)
  expect(deployments?.find(({ id }) => id === `ecs-svc/${number}`)?.failedTasks).toBeGreaterThan(before)
  expect(events?.some(({ message }) => message?.includes('unable to consistently start tasks'))).toBe(true)
  expect((await describeDeployment(cloud, arn)).status).toBe('IN_PROGRESS')
})

test('a scale-up that hangs fails after a day', async () => {
  await using cloud = await startCloud()
  await createRestingService(cloud)
  const { arn } = await deploy(cloud, 'web:2-hang', blueGreen)
  await cloud.control.advance(23 * 3600)
  expect((await describeDeployment(cloud, arn)).status).toBe('IN_PROGRESS')
  await cloud.control.advance(3600)
  expect((await waitForEnd(cloud, arn)).status).toBe('ROLLBACK_SUCCESSFUL')
})

test('a failed first deployment of a service has no version to roll back to', async () => {
  await using cloud = await startCloud()
  await cloud.ecs.send(new CreateClusterCommand({ clusterName: 'main' }))
  const taskDefinition = await registerTaskDefinition(cloud, 'web:1-crash')
  const input = { cluster: 'main', serviceName: 'web', taskDefinition, desiredCount: 1, ...onFargate }
  await cloud.ecs.send(new CreateServiceCommand({ ...input, deploymentConfiguration: breaker(true) }))
  const [listed] = await until(
    cloud,
    () => listDeployments(cloud),
    ([newest]) => newest !== undefined && isFinal(newest),
  )
  expect(listed?.status).toBe('ROLLBACK_FAILED')
})

test('a newer deployment supersedes a waiting one and begins with RECONCILE_SERVICE', async () => {
  await using cloud = await startCloud()
  const { loadBalancer } = await createRestingService(cloud)
  const first = await deploy(cloud, 'web:2', pausing('POST_PRODUCTION_TRAFFIC_SHIFT'))
  const paused = await waitForPause(cloud, first.arn)
  expect(paused.targetServiceRevision?.requestedProductionTrafficWeight).toBe(100)
  const taskDefinition = await registerTaskDefinition(cloud, 'web:3')
  const update = { cluster: 'main', service: 'web', taskDefinition, deploymentConfiguration: blueGreen }
  await cloud.ecs.send(new UpdateServiceCommand(update))
  expect((await describeDeployment(cloud, first.arn)).status).toBe('STOP_REQUESTED')
  const stages = new Set<string | undefined>()
  const [second] = await until(
    cloud,
    () => listDeployments(cloud),
    ([newest]) => newest !== undefined && newest.serviceDeploymentArn !== first.arn,
  )
  const arn = second?.serviceDeploymentArn ?? ''
  const ended = await until(
    cloud,
    async () => {
      const deployment = await describeDeployment(cloud, arn)
      stages.add(deployment.lifecycleStage)
      return deployment
    },
    isFinal,
  )
  expect([...stages].find((stage) => stage !== undefined)).toBe('RECONCILE_SERVICE')
  expect(ended.status).toBe('SUCCESSFUL')
  expect(await describeDeployment(cloud, first.arn)).toMatchObject({
    status: 'STOPPED',
    lifecycleHookDetails: [{ status: 'FAILED' }],
  })
  expect(await describeService(cloud)).toMatchObject({ taskDefinition, runningCount: 2, pendingCount: 0 })
  const weights = await ruleWeights(cloud, loadBalancer?.advancedConfiguration?.productionListenerRule)
  expect(Object.values(weights).sort()).toEqual([0, 100])
})

test('a deployment started during a rollback waits for its end', async () => {
  await using cloud = await startCloud()
  await createRestingService(cloud)
  const first = await deploy(cloud, 'web:2', pausing('POST_SCALE_UP'))
  await waitForPause(cloud, first.arn)
  await cloud.ecs.send(new StopServiceDeploymentCommand({ serviceDeploymentArn: first.arn }))
  await until(
    cloud,
    () => describeDeployment(cloud, first.arn),
    ({ status }) => status === 'ROLLBACK_IN_PROGRESS',
  )
  const second = await deploy(cloud, 'web:3', blueGreen)
  expect((await describeDeployment(cloud, second.arn)).status).toBe('PENDING')
  expect((await waitForEnd(cloud, first.arn)).status).toBe('ROLLBACK_SUCCESSFUL')
  expect((await waitForEnd(cloud, second.arn)).status).toBe('SUCCESSFUL')
  expect((await describeService(cloud)).taskDefinition).toBe(second.taskDefinition)
})

test('a user stops a deployment: it requests the rollback, rolls back, and is rolled back', async () => {
  await using cloud = await startCloud()
  const { taskDefinition: before } = await createRestingService(cloud)
  const { arn } = await deploy(cloud, 'web:2', pausing('POST_SCALE_UP'))
  await waitForPause(cloud, arn)
  const stop = () =>
    cloud.ecs.send(new StopServiceDeploymentCommand({ serviceDeploymentArn: arn, stopType: 'ROLLBACK' }))
  expect(await stop()).toMatchObject({ serviceDeploymentArn: arn })
  const statuses: (string | undefined)[] = []
  await until(
    cloud,
    () => describeDeployment(cloud, arn),
    (deployment) => {
      if (statuses.at(-1) !== deployment.status) statuses.push(deployment.status)
      return isFinal(deployment)
    },
  )
  expect(statuses).toEqual(['ROLLBACK_REQUESTED', 'ROLLBACK_IN_PROGRESS', 'ROLLBACK_SUCCESSFUL'])
  expect((await describeService(cloud)).taskDefinition).toBe(before)
  await expect(stop()).rejects.toMatchObject({ name: 'ConflictException' })
})

test('a stop while the old tasks are being removed is too late', async () => {
  await using cloud = await startCloud()
  await createRestingService(cloud)
  const { arn, taskDefinition } = await deploy(cloud, 'web:2', blueGreen)
  await until(
    cloud,
    () => describeDeployment(cloud, arn),
    ({ lifecycleStage }) => lifecycleStage === 'CLEAN_UP',
  )
  await cloud.ecs.send(new StopServiceDeploymentCommand({ serviceDeploymentArn: arn }))
  expect((await describeDeployment(cloud, arn)).status).toBe('ROLLBACK_REQUESTED')
  expect((await waitForEnd(cloud, arn)).status).toBe('SUCCESSFUL')
  expect((await describeService(cloud)).taskDefinition).toBe(taskDefinition)
})

test('a manually stopped task is replaced', async () => {
  await using cloud = await startCloud()
  await createRestingService(cloud)
  const list = new ListTasksCommand({ cluster: 'main', serviceName: 'web' })
  const before = (await cloud.ecs.send(list)).taskArns ?? []
  await cloud.ecs.send(new StopTaskCommand({ cluster: 'main', task: before[0], reason: 'by hand' }))
  const after = await until(
    cloud,
    () => describeService(cloud),
    ({ runningCount }) => runningCount === 2,
  )
  expect(after.events?.some(({ message }) => message?.includes('has started 1 tasks'))).toBe(true)
  const now = (await cloud.ecs.send(list)).taskArns ?? []
  expect(now).toHaveLength(2)
  expect(now).not.toContain(before[0])
})

test('an image rule counts down', async () => {
  await using cloud = await startCloud()
  await createRestingService(cloud)
  await cloud.control.putImage({ pattern: 'web:*', behaviour: 'crash', times: 2 })
  const { arn, number } = await deploy(cloud, 'web:2', breaker(true))
  expect((await waitForEnd(cloud, arn)).status).toBe('SUCCESSFUL')
  const failed = (await describeService(cloud)).deployments?.find(({ id }) => id === `ecs-svc/${number}`)
  expect(failed?.failedTasks).toBe(2)
})

async function alarmed(cloud: TestCloud, AlarmName: string, StateValue: 'OK' | 'ALARM') {
  const monitoring = new CloudWatchClient(cloud.settings)
  const metric = {
    Namespace: 'Shop',
    MetricName: 'Errors',
    Statistic: 'Sum' as const,
    Period: 60,
    EvaluationPeriods: 1,
  }
  const rule = { ...metric, Threshold: 1, ComparisonOperator: 'GreaterThanThreshold' as const }
  await monitoring.send(new PutMetricAlarmCommand({ AlarmName, ...rule }))
  await monitoring.send(new SetAlarmStateCommand({ AlarmName, StateValue, StateReason: 'told to' }))
  monitoring.destroy()
}

test.each([
  [true, 'ROLLBACK_SUCCESSFUL'],
  [false, 'STOPPED'],
])('an alarm during the bake time ends the deployment (rollback %s: %s)', async (rollback, status) => {
  await using cloud = await startCloud()
  await createRestingService(cloud)
  await alarmed(cloud, 'errors', 'OK')
  const alarms = { alarmNames: ['errors'], enable: true, rollback }
  const { arn } = await deploy(cloud, 'web:2', { ...blueGreen, bakeTimeInMinutes: 60, alarms })
  await until(
    cloud,
    () => describeDeployment(cloud, arn),
    ({ lifecycleStage }) => lifecycleStage === 'BAKE_TIME',
  )
  expect((await describeDeployment(cloud, arn)).alarms).toMatchObject({ status: 'MONITORING' })

  await alarmed(cloud, 'errors', 'ALARM')
  const ended = await waitForEnd(cloud, arn)

  expect(ended).toMatchObject({ status, alarms: { status: 'TRIGGERED', triggeredAlarmNames: ['errors'] } })
})

test('an alarm that is active at the start of a deployment disables all of its alarms', async () => {
  await using cloud = await startCloud()
  await createRestingService(cloud)
  await alarmed(cloud, 'errors', 'OK')
  await alarmed(cloud, 'old', 'ALARM')
  const alarms = { alarmNames: ['errors', 'old'], enable: true, rollback: true }
  const { arn } = await deploy(cloud, 'web:2', { ...blueGreen, bakeTimeInMinutes: 60, alarms })
  expect((await describeDeployment(cloud, arn)).alarms).toMatchObject({ status: 'DISABLED' })

  await alarmed(cloud, 'errors', 'ALARM')

  expect(await waitForEnd(cloud, arn)).toMatchObject({ status: 'SUCCESSFUL', alarms: { triggeredAlarmNames: [] } })
})

test('a rolling deployment stays in progress while its alarms bake, and an alarm during that time rolls it back', async () => {
  await using cloud = await startCloud()
  const { taskDefinition } = await createRestingService(cloud)
  await alarmed(cloud, 'errors', 'OK')
  const alarms = { alarmNames: ['errors'], enable: true, rollback: true }
  const isReplaced = ({ targetServiceRevision, sourceServiceRevisions = [] }: ServiceDeployment) =>
    targetServiceRevision?.runningTaskCount === 2 &&
    sourceServiceRevisions.every(({ runningTaskCount }) => runningTaskCount === 0)
  const baking = async (image: string) => {
    const { arn } = await deploy(cloud, image, { strategy: 'ROLLING', alarms })
    const found = await until(cloud, () => describeDeployment(cloud, arn), isReplaced)
    expect(found).toMatchObject({ status: 'IN_PROGRESS', alarms: { status: 'MONITORING' } })
    return arn
  }
  const first = await baking('web:2')
  expect((await waitForEnd(cloud, first)).status).toBe('SUCCESSFUL')
  const second = await baking('web:3')
  await alarmed(cloud, 'errors', 'ALARM')
  expect((await waitForEnd(cloud, second)).status).toBe('ROLLBACK_SUCCESSFUL')
  expect((await describeService(cloud)).taskDefinition).not.toBe(taskDefinition)
})
