import { DescribeServiceRevisionsCommand, DescribeTasksCommand, ListTasksCommand } from '@aws-sdk/client-ecs'
import { DescribeTargetHealthCommand } from '@aws-sdk/client-elastic-load-balancing-v2'
import { expect, test } from 'vitest'
import {
  answerPause,
  awaitingHooks,
  createRestingService,
  deploy,
  describeDeployment,
  describeService,
  isFinal,
  ruleWeights,
  startCloud,
  type TestCloud,
  until,
  waitForEnd,
  waitForPause,
} from './testing/cloud.ts'

const pauseBeforeShift = { targetType: 'PAUSE' as const, lifecycleStages: ['PRE_PRODUCTION_TRAFFIC_SHIFT' as const] }

/** Runs a deployment to its end and returns each combination of stage and weights. */
async function journeyOf(cloud: TestCloud, arn: string): Promise<string[]> {
  const journey: string[] = []
  await until(
    cloud,
    () => describeDeployment(cloud, arn),
    (deployment) => {
      const { lifecycleStage, targetServiceRevision: green, sourceServiceRevisions: [blue] = [] } = deployment
      const weights = [blue?.requestedProductionTrafficWeight, green?.requestedProductionTrafficWeight]
      const tests = [blue?.requestedTestTrafficWeight, green?.requestedTestTrafficWeight]
      const line = `${lifecycleStage} production ${weights.join('/')} test ${tests.join('/')}`
      if (lifecycleStage && journey.at(-1) !== line) journey.push(line)
      return isFinal(deployment)
    },
    { stepSeconds: 1, limitSeconds: 3600 },
  )
  return journey
}

const beforeShift = [
  'PRE_SCALE_UP production 100/0 test 100/0',
  'SCALE_UP production 100/0 test 100/0',
  'POST_SCALE_UP production 100/0 test 100/0',
  'TEST_TRAFFIC_SHIFT production 100/0 test 0/100',
  'POST_TEST_TRAFFIC_SHIFT production 100/0 test 0/100',
  'PRE_PRODUCTION_TRAFFIC_SHIFT production 100/0 test 0/100',
]
const afterShift = [
  'PRODUCTION_TRAFFIC_SHIFT production 0/100 test 0/100',
  'POST_PRODUCTION_TRAFFIC_SHIFT production 0/100 test 0/100',
  'BAKE_TIME production 0/100 test 0/100',
  'CLEAN_UP production 0/100 test 0/100',
]

test.for([
  ['blue/green', { strategy: 'BLUE_GREEN' as const }, []],
  [
    'canary',
    { strategy: 'CANARY' as const, canaryConfiguration: { canaryPercent: 5.5, canaryBakeTimeInMinutes: 1 } },
    [
      'PRODUCTION_TRAFFIC_SHIFT production 94.5/5.5 test 0/100',
      'PRE_PRODUCTION_TRAFFIC_SHIFT production 94.5/5.5 test 0/100',
    ],
  ],
  [
    'linear',
    { strategy: 'LINEAR' as const, linearConfiguration: { stepPercent: 30, stepBakeTimeInMinutes: 1 } },
    [30, 60, 90].flatMap((percent) => [
      `PRODUCTION_TRAFFIC_SHIFT production ${100 - percent}/${percent} test 0/100`,
      `PRE_PRODUCTION_TRAFFIC_SHIFT production ${100 - percent}/${percent} test 0/100`,
    ]),
  ],
] as const)('%s passes the stages in order, weight by weight', async ([, configuration, steps]) => {
  await using cloud = await startCloud()
  await createRestingService(cloud)
  const { arn } = await deploy(cloud, 'web:2', { ...configuration, bakeTimeInMinutes: 1 })
  expect(await journeyOf(cloud, arn)).toEqual([...beforeShift, ...steps, ...afterShift])
  expect(await describeDeployment(cloud, arn)).toMatchObject({
    status: 'SUCCESSFUL',
    targetServiceRevision: { requestedTaskCount: 2, runningTaskCount: 2, pendingTaskCount: 0 },
    sourceServiceRevisions: [{ requestedTaskCount: 0, runningTaskCount: 0 }],
  })
})

test('a rolling deployment reports no stage or weights, and never drops below the healthy minimum', async () => {
  await using cloud = await startCloud()
  await createRestingService(cloud)
  const { arn } = await deploy(cloud, 'web:2')
  const healthy: number[] = []
  const ended = await until(
    cloud,
    async () => {
      const deployment = await describeDeployment(cloud, arn)
      const counts = [deployment.targetServiceRevision, ...(deployment.sourceServiceRevisions ?? [])]
      healthy.push(counts.reduce((sum, revision) => sum + (revision?.runningTaskCount ?? 0), 0))
      return deployment
    },
    isFinal,
  )
  expect(ended.status).toBe('SUCCESSFUL')
  expect(ended).not.toHaveProperty('lifecycleStage')
  expect(ended.targetServiceRevision).not.toHaveProperty('requestedProductionTrafficWeight')
  expect(Math.min(...healthy)).toBeGreaterThanOrEqual(2)
  expect(Math.max(...healthy)).toBeLessThanOrEqual(4)
  const { deployments, runningCount } = await describeService(cloud)
  expect(deployments).toMatchObject([{ status: 'PRIMARY', rolloutState: 'COMPLETED' }])
  expect(runningCount).toBe(2)
})

test('a rolling deployment that can neither stop nor start a task reports this and stops progressing', async () => {
  await using cloud = await startCloud()
  await createRestingService(cloud)
  const { arn } = await deploy(cloud, 'web:2', { minimumHealthyPercent: 100, maximumPercent: 100 })
  await cloud.control.advance(3600)
  const { events } = await describeService(cloud)
  expect(events?.[0]?.message).toContain('unable to stop or start tasks during a deployment')
  expect((await describeDeployment(cloud, arn)).status).toBe('IN_PROGRESS')
})

test('blue and green swap their target groups in every deployment, and the tasks follow', async () => {
  await using cloud = await startCloud()
  const { loadBalancer } = await createRestingService(cloud)
  const { targetGroupArn: first, advancedConfiguration } = loadBalancer ?? {}
  const second = advancedConfiguration?.alternateTargetGroupArn
  const targets = async (TargetGroupArn: string | undefined) => {
    const health = await cloud.elb.send(new DescribeTargetHealthCommand({ TargetGroupArn }))
    return health.TargetHealthDescriptions?.map(({ TargetHealth }) => TargetHealth?.State)
  }
  for (const [image, used, idle] of [
    ['web:2', second, first],
    ['web:3', first, second],
  ] as const) {
    const { arn, number } = await deploy(cloud, image, { strategy: 'BLUE_GREEN', bakeTimeInMinutes: 0 })
    const revisionArn = (await waitForEnd(cloud, arn)).targetServiceRevision?.arn ?? ''
    expect(revisionArn.endsWith(`/${number}`)).toBe(true)
    const command = new DescribeServiceRevisionsCommand({ serviceRevisionArns: [revisionArn] })
    const { serviceRevisions } = await cloud.ecs.send(command)
    expect(serviceRevisions?.[0]?.resolvedConfiguration?.loadBalancers?.[0]?.targetGroupArn).toBe(used)
    expect(await targets(used)).toEqual(['healthy', 'healthy'])
    expect(await targets(idle)).toEqual([])
    for (const rule of [advancedConfiguration?.productionListenerRule, advancedConfiguration?.testListenerRule]) {
      expect(await ruleWeights(cloud, rule)).toEqual({ [used ?? '']: 100, [idle ?? '']: 0 })
    }
  }
})

test('linear pauses before every step, each time with a new hook', async () => {
  await using cloud = await startCloud()
  const { loadBalancer } = await createRestingService(cloud)
  const { alternateTargetGroupArn: green = '', productionListenerRule } = loadBalancer?.advancedConfiguration ?? {}
  const { arn } = await deploy(cloud, 'web:2', {
    strategy: 'LINEAR',
    linearConfiguration: { stepPercent: 20, stepBakeTimeInMinutes: 1 },
    lifecycleHooks: [pauseBeforeShift],
  })
  const hookIds = new Set<string | undefined>()
  const weights: unknown[] = []
  for (let step = 0; step < 5; step++) {
    const paused = await waitForPause(cloud, arn)
    expect(paused.lifecycleStage).toBe('PRE_PRODUCTION_TRAFFIC_SHIFT')
    weights.push((await ruleWeights(cloud, productionListenerRule))[green])
    hookIds.add(await answerPause(cloud, arn))
  }
  expect(weights).toEqual([0, 20, 40, 60, 80])
  expect(hookIds.size).toBe(5)
  const ended = await waitForEnd(cloud, arn)
  expect(ended.status).toBe('SUCCESSFUL')
  expect(ended.lifecycleHookDetails?.map(({ status }) => status)).toEqual(Array(5).fill('SUCCEEDED'))
})

test('several hooks at one stage wait concurrently, and the stage ends with the last answer', async () => {
  await using cloud = await startCloud()
  await createRestingService(cloud)
  const pause = { targetType: 'PAUSE' as const, lifecycleStages: ['POST_SCALE_UP' as const] }
  const { arn } = await deploy(cloud, 'web:2', {
    strategy: 'BLUE_GREEN',
    bakeTimeInMinutes: 0,
    lifecycleHooks: [pause, pause],
  })
  expect(awaitingHooks(await waitForPause(cloud, arn))).toHaveLength(2)
  await answerPause(cloud, arn)
  await cloud.control.advance(600)
  const half = await describeDeployment(cloud, arn)
  expect([half.lifecycleStage, awaitingHooks(half).length]).toEqual(['POST_SCALE_UP', 1])
  await answerPause(cloud, arn)
  expect((await waitForEnd(cloud, arn)).status).toBe('SUCCESSFUL')
})

test('tasks can be found by the deployment that started them, and stopped ones have a reason', async () => {
  await using cloud = await startCloud()
  await createRestingService(cloud)
  const { arn, number } = await deploy(cloud, 'web:2')
  await waitForEnd(cloud, arn)
  const list = async (input: object) =>
    (await cloud.ecs.send(new ListTasksCommand({ cluster: 'main', ...input }))).taskArns ?? []
  expect(await list({ startedBy: `ecs-svc/${number}` })).toHaveLength(2)
  const both = list({ startedBy: `ecs-svc/${number}`, desiredStatus: 'RUNNING' })
  await expect(both, 'by no other filter at the same time').rejects.toThrow('startedBy')
  const stopped = await list({ serviceName: 'web', desiredStatus: 'STOPPED' })
  const { tasks } = await cloud.ecs.send(new DescribeTasksCommand({ cluster: 'main', tasks: stopped }))
  expect(tasks).toMatchObject(Array(2).fill({ lastStatus: 'STOPPED', stopCode: 'ServiceSchedulerInitiated' }))
  await cloud.control.advance(3700)
  expect(await list({ serviceName: 'web', desiredStatus: 'STOPPED' })).toEqual([])
})
