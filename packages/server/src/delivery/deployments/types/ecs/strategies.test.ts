import { PutMetricAlarmCommand } from '@aws-sdk/client-cloudwatch'
import { DescribeServicesCommand, UpdateServiceCommand } from '@aws-sdk/client-ecs'
import type { Deployment } from '@sluice/contract'
import { beforeAll, describe, expect, test } from 'vitest'
import { everyCase } from '../../../../../../../testing/every-case.ts'
import { blueGreen, canary, linear, pausingBeforeShifts } from '../../../../testing/strategies.ts'
import { trafficOf } from '../../../../testing/traffic.ts'
import { ecsDataOf, eventsOf, sharedWorld, stepsOf, type TestService, type World } from '../../../../testing/world.ts'

let world: World
beforeAll(async () => {
  world = await sharedWorld()
})

const before = ['INIT', 'REGISTER_RELEASE', 'UPDATE_SERVICE', 'SCALE_UP']
const pausedShift = ['PAUSED', 'CONTINUED', 'PRODUCTION_TRAFFIC_SHIFT']
const after = ['BAKE', 'CLEAN_UP', 'COMPLETED']

const cases = [
  { name: 'rolling', strategy: null, steps: [...before, 'COMPLETED'] },
  {
    name: 'blue_green',
    strategy: blueGreen,
    steps: [...before, 'TEST_TRAFFIC_SHIFT', 'PRODUCTION_TRAFFIC_SHIFT', ...after],
  },
  {
    name: 'linear',
    strategy: pausingBeforeShifts(linear),
    steps: [...before, 'TEST_TRAFFIC_SHIFT', ...pausedShift, ...pausedShift, ...pausedShift, ...pausedShift, ...after],
  },
  {
    name: 'canary',
    strategy: pausingBeforeShifts(canary),
    steps: [...before, 'TEST_TRAFFIC_SHIFT', ...pausedShift, ...pausedShift, ...after],
  },
]

describe.concurrent.each(cases)('a $name release', ({ name, strategy, steps }) => {
  test('goes through its steps in order to SUCCESS', async () => {
    const org = await world.organization()
    const { moduleInstanceId } = await org.service(strategy)
    const { id } = await org.deploy(moduleInstanceId)

    const done = await org.continueToEnd(id)

    expect(done).toMatchObject({ status: 'SUCCESS', data: { strategy: name } })
    expect(done.error).toBeUndefined()
    expect(stepsOf(done)).toEqual(steps)
    expectOrder(done)
    // Pauses and continuations are not steps of their own.
    const total = steps.filter((step) => step !== 'PAUSED' && step !== 'CONTINUED').length
    expect(eventsOf(done).at(-1)).toMatchObject({ currentStep: total, totalSteps: total })
  })
})

test.for(cases)(
  'a $name release of a service with a desired count of 0 reports that nothing was verified',
  async ({ strategy }) => {
    const org = await world.organization()
    const { moduleInstanceId } = await org.service(strategy, { desiredCount: 0 })
    const { id } = await org.deploy(moduleInstanceId)

    const done = await org.continueToEnd(id)

    expect(done.status).toBe('SUCCESS')
    expect(eventsOf(done).at(-1)?.message).toBe(
      'The desired count of the service is 0: no task of the new version ran, and nothing was verified.',
    )
  },
)

function expectOrder(deployment: Deployment): void {
  const events = eventsOf(deployment)
  const times = events.map(({ startedAt }) => startedAt)
  const numbers = events.map(({ currentStep }) => currentStep)
  expect(times).toEqual(times.toSorted())
  expect(numbers).toEqual(numbers.toSorted((a, b) => a - b))
  expect(new Set(events.map(({ totalSteps }) => totalSteps)).size).toBe(1)
}

const number19 = /^ecs-svc\/\d+$/

describe.concurrent('the representation of a deployment', () => {
  test('has its actor, inputs and scope when it is accepted', async () => {
    const org = await world.organization()
    const { moduleInstanceId, serviceArn, input } = await org.service()

    const accepted = await org.deploy(moduleInstanceId)

    expect(accepted).toMatchObject({
      organizationId: org.id,
      moduleInstanceId,
      description: 'Release shop/app:2',
      status: 'PENDING',
      deploymentType: 'cloud:ecs',
      triggerSource: 'API',
      resourceArn: serviceArn,
      resourceName: serviceArn.split('/').at(-1),
      data: {
        type: 'cloud:ecs',
        clusterArn: input.cluster_arn,
        serviceArn,
        strategy: 'rolling',
        detectedVia: 'SERVICE',
        initiationType: 'SERVICE',
        triggerChannel: 'API',
        triggeredBy: expect.stringMatching(/^owner@/),
        preDeployEnabled: false,
        postDeployEnabled: false,
        ecsModuleDeploymentId: accepted.id,
        events: [],
      },
    })
    expect(accepted.startedAt).toBeUndefined()
    await org.untilStatus(accepted.id, 'SUCCESS')
  })

  test('has the traffic shares on both listeners during the release', async () => {
    const org = await world.organization()
    const { moduleInstanceId, input } = await org.service(pausingBeforeShifts(canary))
    const { id } = await org.deploy(moduleInstanceId)
    const first = await org.untilPaused(id)

    const atStandby = await org.get(id)
    expect(ecsDataOf(atStandby).serviceDeploymentState).toMatchObject({
      status: 'IN_PROGRESS',
      strategy: 'canary',
      lifecycleStage: 'PRE_PRODUCTION_TRAFFIC_SHIFT',
      trafficPhase: 'standby',
      acceptsNativeStandbyRevert: true,
      targetServiceRevision: {
        requestedTaskCount: 2,
        runningTaskCount: 2,
        pendingTaskCount: 0,
        requestedProductionTrafficWeight: 0,
        requestedTestTrafficWeight: 100,
      },
      sourceServiceRevisions: [{ requestedProductionTrafficWeight: 100, requestedTestTrafficWeight: 0 }],
    })
    expect(rulesShown(atStandby)).toEqual([
      [80, input.production_listener_rule_arn, input.target_group_arn],
      [8080, input.test_listener_rule_arn, input.alternate_target_group_arn],
    ])

    await org.continue(id)
    await org.untilPaused(id, [first])
    const shifting = await org.get(id)
    expect(shifting).toMatchObject({ status: 'IN_PROGRESS', startedAt: expect.any(String) })
    expect(shifting.completedAt).toBeUndefined()
    expect(ecsDataOf(shifting).serviceDeploymentState).toMatchObject({
      trafficPhase: 'shifting',
      targetServiceRevision: { requestedProductionTrafficWeight: 10 },
      sourceServiceRevisions: [{ requestedProductionTrafficWeight: 90 }],
    })
    expect(rulesShown(shifting)).toEqual([
      [80, input.production_listener_rule_arn, input.target_group_arn],
      [80, input.production_listener_rule_arn, input.alternate_target_group_arn],
      [8080, input.test_listener_rule_arn, input.alternate_target_group_arn],
    ])
    expect((await org.continueToEnd(id)).status).toBe('SUCCESS')
  })

  test("has both task definitions, the cloud's ids and the traffic routing at the end", async () => {
    const org = await world.organization()
    const { moduleInstanceId, serviceArn, input } = await org.service(blueGreen)
    const { id } = await org.deploy(moduleInstanceId, 'shop/app:2')

    const done = await org.untilStatus(id, 'SUCCESS')
    const data = ecsDataOf(done)

    expect(done.externalDeploymentId).toMatch(number19)
    expect(done.completedAt).toEqual(eventsOf(done).at(-1)?.startedAt)
    const { deployedTaskDefinition: deployed, previousTaskDefinition: previous } = data
    expect(deployed).toMatchObject({
      arn: expect.stringContaining(`:task-definition/${input.family}:2`),
      revision: 2,
      definition: { family: input.family, containerDefinitions: [{ name: 'app', image: 'shop/app:2' }] },
    })
    expect(previous).toMatchObject({
      arn: expect.stringContaining(`:task-definition/${input.family}:1`),
      revision: 1,
      definition: { family: input.family, containerDefinitions: [{ name: 'app', image: 'shop/app:1' }] },
    })
    expect(data.serviceDeploymentArn).toMatch(serviceArn.replace(':service/', ':service-deployment/'))
    const state = data.serviceDeploymentState
    expect(state).toMatchObject({
      status: 'SUCCESSFUL',
      strategy: 'blue_green',
      serviceDeploymentArn: data.serviceDeploymentArn,
      acceptsNativeStandbyRevert: false,
      targetServiceRevision: {
        requestedTaskCount: 2,
        runningTaskCount: 2,
        pendingTaskCount: 0,
        requestedProductionTrafficWeight: 100,
        requestedTestTrafficWeight: 100,
      },
      sourceServiceRevisions: [{ runningTaskCount: 0, requestedProductionTrafficWeight: 0 }],
    })
    // Both ids of the revision end in the same number.
    expect(state?.targetServiceRevision?.serviceRevisionArn.split('/').at(-1)).toBe(
      done.externalDeploymentId?.split('/').at(-1),
    )
    expect(rulesShown(done)).toEqual([
      [80, input.production_listener_rule_arn, input.alternate_target_group_arn],
      [8080, input.test_listener_rule_arn, input.alternate_target_group_arn],
    ])
    const [balancer] = data.elbListenerState ?? []
    expect(balancer).toMatchObject({
      loadBalancerArn: expect.stringContaining(':loadbalancer/app/'),
      loadBalancerDnsName: expect.stringMatching(/\.elb\.amazonaws\.com$/),
    })
    expect(balancer?.rules[0]).toMatchObject({
      isDefaultRule: false,
      protocol: 'HTTP',
      rulePriority: expect.any(Number),
      hostHeaders: [`${input.family}.shop.example`],
      listenerArn: expect.stringContaining(':listener/app/'),
      targetGroupName: `${input.family}-green`,
    })
  })

  test('of a rolling release has no traffic weights and no listeners', async () => {
    const org = await world.organization()
    const { moduleInstanceId } = await org.service()
    const { id } = await org.deploy(moduleInstanceId)

    const { serviceDeploymentState: state, elbListenerState } = ecsDataOf(await org.untilStatus(id, 'SUCCESS'))

    expect(state).toMatchObject({ status: 'SUCCESSFUL', strategy: 'rolling', acceptsNativeStandbyRevert: false })
    expect(state?.targetServiceRevision).not.toHaveProperty('requestedProductionTrafficWeight')
    expect(elbListenerState).toBeUndefined()
  })
})

const rulesShown = (deployment: Deployment) =>
  (ecsDataOf(deployment).elbListenerState ?? []).flatMap(({ rules }) =>
    rules.map(({ port, ruleArn, targetGroupArn }) => [port, ruleArn, targetGroupArn]),
  )

/** Parameters of every update; the percentages are the service's own, which an update would otherwise reset. */
const always = {
  deploymentCircuitBreaker: { enable: true, rollback: true },
  minimumHealthyPercent: 100,
  maximumPercent: 200,
}
const requests = [
  { name: 'rolling', strategy: null, configuration: { strategy: 'ROLLING', lifecycleHooks: [], ...always } },
  {
    name: 'blue/green',
    strategy: {
      ...blueGreen,
      pause_stages: [
        { stage: 'POST_TEST_TRAFFIC_SHIFT', timeout_in_minutes: 20_160, timeout_action: 'CONTINUE' },
        { stage: 'POST_PRODUCTION_TRAFFIC_SHIFT' },
      ],
    },
    configuration: {
      strategy: 'BLUE_GREEN',
      bakeTimeInMinutes: 1,
      lifecycleHooks: [
        pauseHook('POST_TEST_TRAFFIC_SHIFT', 20_160, 'CONTINUE'),
        pauseHook('POST_PRODUCTION_TRAFFIC_SHIFT', 1440, 'ROLLBACK'),
      ],
      ...always,
    },
  },
  {
    name: 'linear',
    strategy: linear,
    configuration: {
      strategy: 'LINEAR',
      bakeTimeInMinutes: 1,
      linearConfiguration: { stepPercent: 25, stepBakeTimeInMinutes: 1 },
      lifecycleHooks: [],
      ...always,
    },
  },
  {
    name: 'canary',
    strategy: canary,
    configuration: {
      strategy: 'CANARY',
      bakeTimeInMinutes: 1,
      canaryConfiguration: { canaryPercent: 10, canaryBakeTimeInMinutes: 1 },
      lifecycleHooks: [],
      ...always,
    },
  },
]

function pauseHook(stage: string, timeoutInMinutes: number, action: string) {
  return { targetType: 'PAUSE', lifecycleStages: [stage], timeoutConfiguration: { timeoutInMinutes, action } }
}

describe.concurrent('requests to the cloud', () => {
  test(
    'update the service once with the complete configuration of the strategy and without a desired count',
    everyCase(
      requests,
      async ({ strategy, configuration }) => {
        const org = await world.organization()
        const { moduleInstanceId, serviceArn, input } = await org.service(strategy)
        const { id } = await org.deploy(moduleInstanceId)
        const done = await org.continueToEnd(id)

        const updates = await org.calls('UpdateService')

        expect(updates.map(({ request }) => request)).toEqual([
          {
            cluster: input.cluster_arn,
            service: serviceArn,
            taskDefinition: ecsDataOf(done).deployedTaskDefinition?.arn,
            deploymentConfiguration: configuration,
            forceNewDeployment: false,
          },
        ])
      },
      { concurrency: 2 },
    ),
  )

  test("register the module's task definition, tagged with the deployment", async () => {
    const org = await world.organization()
    const { moduleInstanceId, input } = await org.service()
    const { id } = await org.deploy(moduleInstanceId, 'shop/app:2')
    await org.untilStatus(id, 'SUCCESS')

    const registered = (await org.calls('RegisterTaskDefinition')).map(({ request }) => request)

    // The first one is the service's own.
    expect(registered.slice(1)).toEqual([
      {
        family: input.family,
        cpu: '256',
        memory: '512',
        networkMode: 'awsvpc',
        requiresCompatibilities: ['FARGATE'],
        executionRoleArn: input.execution_role_arn,
        containerDefinitions: [
          {
            name: 'app',
            image: 'shop/app:2',
            essential: true,
            portMappings: [{ containerPort: 8080, protocol: 'tcp' }],
          },
        ],
        tags: [{ key: 'sluice:deployment-id', value: id }],
      },
    ])
  })

  test('keep the alarms and percentages that were set on the service by other means, and bake for these alarms', async () => {
    const org = await world.organization()
    const { moduleInstanceId, input } = await org.service()
    const metric = { Namespace: 'Shop', MetricName: 'Errors', Statistic: 'Sum' as const, Period: 60 }
    const rule = { EvaluationPeriods: 1, Threshold: 1, ComparisonOperator: 'GreaterThanThreshold' as const }
    await org.clients.metrics.send(new PutMetricAlarmCommand({ AlarmName: 'errors', ...metric, ...rule }))
    const alarms = { alarmNames: ['errors'], enable: true, rollback: true }
    const deploymentConfiguration = { minimumHealthyPercent: 50, maximumPercent: 150, alarms }
    const place = { cluster: input.cluster_arn, service: input.service_arn }
    await org.clients.ecs.send(new UpdateServiceCommand({ ...place, deploymentConfiguration }))

    const { id } = await org.deploy(moduleInstanceId)
    const done = await org.untilStatus(id, 'SUCCESS')
    expect(stepsOf(done).slice(-3)).toEqual(['SCALE_UP', 'BAKE', 'COMPLETED'])
    const { services = [] } = await org.clients.ecs.send(
      new DescribeServicesCommand({ cluster: place.cluster, services: [place.service] }),
    )
    expect(services[0]?.deploymentConfiguration).toMatchObject(deploymentConfiguration)
  })

  test('configure the traffic shift of a service that had none before', async () => {
    const org = await world.organization()
    const { moduleInstanceId, input } = await org.service(null, { change: { strategy: blueGreen } })
    const { id } = await org.deploy(moduleInstanceId)
    await org.untilStatus(id, 'SUCCESS')

    const [update] = await org.calls('UpdateService')

    expect(update?.request).toMatchObject({
      loadBalancers: [
        {
          targetGroupArn: input.target_group_arn,
          containerName: 'app',
          containerPort: 8080,
          advancedConfiguration: {
            alternateTargetGroupArn: input.alternate_target_group_arn,
            productionListenerRule: input.production_listener_rule_arn,
            testListenerRule: input.test_listener_rule_arn,
            roleArn: input.infrastructure_role_arn,
          },
        },
      ],
    })
    expect(await trafficOf(org.clients, input.production_listener_rule_arn)).toEqual({
      [input.alternate_target_group_arn]: 100,
    })
  })
})

describe.concurrent('one release after the other', () => {
  test.each([
    ['blue/green', blueGreen],
    ['linear', linear],
    ['canary', canary],
  ])('%s: the two target groups swap roles with each release', async (_name, strategy) => {
    const org = await world.organization()
    const service = await org.service(strategy)
    const [blue, green] = [service.input.target_group_arn, service.input.alternate_target_group_arn]

    const second = await release(service, 'shop/app:2')
    expect(await trafficOf(org.clients, service.input.production_listener_rule_arn)).toEqual({ [green]: 100 })
    const third = await release(service, 'shop/app:3')
    expect(await trafficOf(org.clients, service.input.production_listener_rule_arn)).toEqual({ [blue]: 100 })

    expect(ecsDataOf(third).previousTaskDefinition).toEqual(ecsDataOf(second).deployedTaskDefinition)
    expect(third.externalDeploymentId).not.toBe(second.externalDeploymentId)

    async function release({ moduleInstanceId }: TestService, image: string): Promise<Deployment> {
      const { id } = await org.deploy(moduleInstanceId, image)
      return org.untilStatus(id, 'SUCCESS')
    }
  })

  test('a release of the live version is executed', async () => {
    const org = await world.organization()
    const { moduleInstanceId } = await org.service()
    const first = await org.deploy(moduleInstanceId, 'shop/app:2')
    await org.untilStatus(first.id, 'SUCCESS')
    const again = await org.deploy(moduleInstanceId, 'shop/app:2')
    const done = await org.untilStatus(again.id, 'SUCCESS')

    expect(ecsDataOf(done).deployedTaskDefinition?.revision).toBe(3)
    expect(await org.calls('UpdateService', { accepted: true })).toHaveLength(2)
  })
})
