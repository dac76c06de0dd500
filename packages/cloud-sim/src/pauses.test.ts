import {
  ContinueServiceDeploymentCommand,
  CreateClusterCommand,
  CreateServiceCommand,
  type DeploymentLifecycleHookStage,
  type ServiceDeployment,
} from '@aws-sdk/client-ecs'
import { expect, test } from 'vitest'
import {
  answerPause,
  awaitingHooks,
  createLoadBalancer,
  createRestingService,
  deploy,
  describeDeployment,
  describeService,
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

const stages: DeploymentLifecycleHookStage[] = [
  'PRE_SCALE_UP',
  'POST_SCALE_UP',
  'POST_TEST_TRAFFIC_SHIFT',
  'PRE_PRODUCTION_TRAFFIC_SHIFT',
  'POST_PRODUCTION_TRAFFIC_SHIFT',
]
const timeoutInMinutes = 5

type Resolution = 'CONTINUE' | 'ROLLBACK' | 'timeout CONTINUE' | 'timeout ROLLBACK'
const endings: Record<Resolution, [hook: string, status: string]> = {
  CONTINUE: ['SUCCEEDED', 'SUCCESSFUL'],
  ROLLBACK: ['FAILED', 'ROLLBACK_SUCCESSFUL'],
  'timeout CONTINUE': ['TIMED_OUT', 'SUCCESSFUL'],
  'timeout ROLLBACK': ['TIMED_OUT', 'ROLLBACK_SUCCESSFUL'],
}
const resolutions = Object.keys(endings) as Resolution[]

const configurationFor = (stage: DeploymentLifecycleHookStage, action: 'CONTINUE' | 'ROLLBACK') => ({
  strategy: 'BLUE_GREEN' as const,
  bakeTimeInMinutes: 1,
  lifecycleHooks: [
    { targetType: 'PAUSE' as const, lifecycleStages: [stage], timeoutConfiguration: { timeoutInMinutes, action } },
  ],
})

async function resolve(cloud: TestCloud, arn: string, resolution: Resolution): Promise<void> {
  if (resolution === 'CONTINUE' || resolution === 'ROLLBACK') await answerPause(cloud, arn, resolution)
  else await cloud.control.advance(timeoutInMinutes * 60)
}

async function expectEnding(cloud: TestCloud, arn: string, resolution: Resolution): Promise<ServiceDeployment> {
  const [hookStatus, status] = endings[resolution]
  const ended = await waitForEnd(cloud, arn)
  expect(ended.status).toBe(status)
  expect(ended.lifecycleHookDetails).toMatchObject([{ targetType: 'PAUSE', status: hookStatus }])
  return ended
}

for (const stage of stages) {
  test.for(resolutions)(`a pause at ${stage}, resolved by %s`, async (resolution) => {
    await using cloud = await startCloud()
    const { loadBalancer, taskDefinition: before } = await createRestingService(cloud)
    const action = resolution.endsWith('CONTINUE') ? 'CONTINUE' : 'ROLLBACK'
    const { arn, taskDefinition } = await deploy(cloud, 'web:2', configurationFor(stage, action))
    const paused = await waitForPause(cloud, arn)
    expect([paused.status, paused.lifecycleStage]).toEqual(['IN_PROGRESS', stage])
    expect(awaitingHooks(paused)).toMatchObject([
      { hookId: expect.stringMatching(/^ecs-pause-[\w-]{43}$/), timeoutAction: action },
    ])
    await resolve(cloud, arn, resolution)
    const ended = await expectEnding(cloud, arn, resolution)
    const isBack = ended.status === 'ROLLBACK_SUCCESSFUL'
    const { taskDefinition: now, runningCount } = await describeService(cloud)
    expect([now, runningCount]).toEqual([isBack ? before : taskDefinition, 2])
    const { targetGroupArn: blue = '', advancedConfiguration } = loadBalancer ?? {}
    const weights = await ruleWeights(cloud, advancedConfiguration?.productionListenerRule)
    expect(weights[blue]).toBe(isBack ? 100 : 0)
    if (isBack) expect(ended.rollback?.serviceRevisionArn).toBe(ended.sourceServiceRevisions?.[0]?.arn)
  })
}

test.for(resolutions)('a pause at RECONCILE_SERVICE, resolved by %s', async (resolution) => {
  await using cloud = await startCloud()
  const { taskDefinition: before } = await createRestingService(cloud)
  const first = await deploy(cloud, 'web:2', configurationFor('POST_SCALE_UP', 'ROLLBACK'))
  await waitForPause(cloud, first.arn)
  const action = resolution.endsWith('CONTINUE') ? 'CONTINUE' : 'ROLLBACK'
  const second = await deploy(cloud, 'web:3', configurationFor('RECONCILE_SERVICE', action))
  expect((await waitForPause(cloud, second.arn)).lifecycleStage).toBe('RECONCILE_SERVICE')
  expect((await describeDeployment(cloud, first.arn)).status).toBe('STOPPED')
  await resolve(cloud, second.arn, resolution)
  const { status } = await expectEnding(cloud, second.arn, resolution)
  const { taskDefinition: now, runningCount } = await describeService(cloud)
  expect([now, runningCount]).toEqual([status === 'SUCCESSFUL' ? second.taskDefinition : before, 2])
})

test('a service’s first deployment also pauses, and has no version to roll back to', async () => {
  await using cloud = await startCloud()
  await cloud.ecs.send(new CreateClusterCommand({ clusterName: 'main' }))
  const taskDefinition = await registerTaskDefinition(cloud, 'web:1')
  const loadBalancers = [await createLoadBalancer(cloud)]
  const deploymentConfiguration = configurationFor('POST_SCALE_UP', 'ROLLBACK')
  const input = { cluster: 'main', serviceName: 'web', taskDefinition, desiredCount: 2, loadBalancers, ...onFargate }
  await cloud.ecs.send(new CreateServiceCommand({ ...input, deploymentConfiguration }))
  const [listed] = await until(
    cloud,
    () => listDeployments(cloud),
    (all) => all.length > 0,
  )
  const arn = listed?.serviceDeploymentArn ?? ''
  expect((await waitForPause(cloud, arn)).sourceServiceRevisions).toEqual([])
  await answerPause(cloud, arn, 'ROLLBACK')
  expect((await waitForEnd(cloud, arn)).status).toBe('ROLLBACK_FAILED')
  expect((await describeService(cloud)).runningCount).toBe(0)
})

test('a hook is answered once, by its own id, and only while it waits', async () => {
  await using cloud = await startCloud()
  await createRestingService(cloud)
  const { arn } = await deploy(cloud, 'web:2', configurationFor('POST_SCALE_UP', 'ROLLBACK'))
  const [hook] = awaitingHooks(await waitForPause(cloud, arn))
  const answer = (hookId: string | undefined, serviceDeploymentArn = arn) =>
    cloud.ecs.send(new ContinueServiceDeploymentCommand({ serviceDeploymentArn, hookId }))
  const invalid = { name: 'InvalidParameterException' }
  await expect(answer('ecs-pause-unknown')).rejects.toMatchObject(invalid)
  await expect(answer(hook?.hookId, `${arn}x`)).rejects.toMatchObject({ name: 'ServiceDeploymentNotFoundException' })
  expect(await answer(hook?.hookId)).toMatchObject({ serviceDeploymentArn: arn })
  await expect(answer(hook?.hookId)).rejects.toMatchObject(invalid)
  await waitForEnd(cloud, arn)
  await expect(answer(hook?.hookId)).rejects.toMatchObject(invalid)
})
