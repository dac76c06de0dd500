import { DeleteAlarmsCommand, PutMetricAlarmCommand, SetAlarmStateCommand } from '@aws-sdk/client-cloudwatch'
import { DescribeServicesCommand, ListServiceDeploymentsCommand, UpdateServiceCommand } from '@aws-sdk/client-ecs'
import { type Deployment, lastLinesTitle } from '@sluice/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { eq, sql } from '../../../platform/db/drizzle.ts'
import { blueGreen, canary, pausingBeforeShifts } from '../../../testing/strategies.ts'
import { trafficOf } from '../../../testing/traffic.ts'
import {
  ecsDataOf,
  eventsOf,
  startWorld,
  stepsOf,
  type TestOrganization,
  type TestService,
  type World,
} from '../../../testing/world.ts'
import { deployments } from '../store/tables.ts'

let world: World
beforeAll(async () => {
  world = await startWorld({ env: { SLUICE_POLL_MIN_MS: '25' } })
})
afterAll(() => world?.[Symbol.asyncDispose]())

/** Returns the lines of one section of the error's details. */
const sectionOf = ({ error }: Deployment, title: string): string[] =>
  error?.details?.find((section) => section.title === title)?.items ?? []

async function runningImage({ clients }: TestOrganization, { input }: TestService): Promise<string | undefined> {
  const { cluster_arn: cluster, service_arn } = input
  const { services } = await clients.ecs.send(new DescribeServicesCommand({ cluster, services: [service_arn] }))
  return services?.[0]?.deployments
    ?.find(({ status }) => status === 'PRIMARY')
    ?.taskDefinition?.split('/')
    .at(-1)
}

describe.concurrent('tasks that do not become healthy', () => {
  const strategies = [
    ['rolling', null],
    ['blue/green', blueGreen],
  ] as const
  const tag = {
    crash: {
      cause: 'exit code 1',
      task: /EssentialContainerExited: Essential container in task exited · app: exit code 1$/,
      event: /deployment failed: tasks failed to start/,
    },
    unhealthy: {
      cause: expect.stringMatching(/^Task failed ELB health checks/),
      task: /ServiceSchedulerInitiated: Task failed ELB health checks in \(target-group .*\)/,
      event: /is unhealthy in \(target-group .*\) due to \(reason Health checks failed\)/,
    },
    missing: {
      cause: expect.stringMatching(/^CannotPullContainerError/),
      task: /TaskFailedToStart: CannotPullContainerError: .*shop\/app:2-missing: not found/,
      event: /deployment failed: tasks failed to start/,
    },
  }
  const cases = strategies.flatMap(([name, strategy]) =>
    Object.entries(tag).map(([ending, lines]) => ({ name, strategy, image: `shop/app:2-${ending}`, lines })),
  )

  test.each(cases)(
    '$name, $image: the release is rolled back, and the error says what to check',
    async ({ strategy, image, lines }) => {
      const org = await world.organization()
      const service = await org.service(strategy)
      const { id } = await org.deploy(service.moduleInstanceId, image)

      const over = await org.untilStatus(id, 'ROLLED_BACK')

      expect(stepsOf(over).slice(0, 3)).toEqual(['INIT', 'REGISTER_RELEASE', 'UPDATE_SERVICE'])
      expect(stepsOf(over).slice(-2)).toEqual(['ROLLBACK_STARTED', 'ROLLED_BACK'])
      expect(over.completedAt).toEqual(expect.any(String))
      expect(over.error).toMatchObject({
        code: 'Sluice:Deployments:TASKS_UNHEALTHY',
        message: expect.stringMatching(/^\d+ tasks of the new version did not become healthy/),
        description: expect.stringContaining('circuit breaker'),
        action: { label: 'Open the service in the cloud console', url: expect.stringContaining('eu-west-1') },
        metadata: { cause: lines.cause, container: 'app' },
      })
      expect(sectionOf(over, 'Stopped tasks')).toContainEqual(expect.stringMatching(lines.task))
      expect(sectionOf(over, "The service's last events")).toContainEqual(expect.stringMatching(lines.event))
      expect(ecsDataOf(over).serviceDeploymentState).toMatchObject({ status: 'ROLLBACK_SUCCESSFUL' })
      expect(await runningImage(org, service)).toBe(`${service.input.family}:1`)
      expect(await trafficOf(org.clients, service.input.production_listener_rule_arn)).toEqual({
        [service.input.target_group_arn]: 100,
      })
    },
  )
})

test('the first release of a failing service reports its cause, although there is no version to roll back to', async () => {
  const org = await world.organization()
  const { moduleInstanceId } = await org.service(null, { image: 'shop/app:1-hang', isDeployed: false })
  const { id } = await org.deploy(moduleInstanceId, 'shop/app:2-crash')

  const over = await org.untilStatus(id, 'ERROR')

  expect(over.error).toMatchObject({
    code: 'Sluice:Deployments:TASKS_UNHEALTHY',
    description: expect.stringContaining('The rollback failed: '),
    metadata: { cause: 'exit code 1', container: 'app' },
  })
  expect(sectionOf(over, 'Stopped tasks')).toContainEqual(expect.stringMatching(/app: exit code 1$/))
})

test('a failure has its details even if the cloud throttles the calls that explain it', async () => {
  const org = await world.organization()
  const { moduleInstanceId } = await org.service()
  await org.fault({ kind: 'throttle', operation: 'ListTasks', times: 2 })
  const { id } = await org.deploy(moduleInstanceId, 'shop/app:2-crash')

  const over = await org.untilStatus(id, 'ROLLED_BACK')

  expect(sectionOf(over, 'Stopped tasks')).toContainEqual(expect.stringMatching(/app: exit code 1$/))
  expect((await org.calls('ListTasks', { accepted: false })).length).toBe(2)
})

test('a container that exits is reported with its last log lines', async () => {
  const place = { 'awslogs-group': '/shop', 'awslogs-create-group': 'true', 'awslogs-region': 'eu-west-1' }
  const options = { ...place, 'awslogs-stream-prefix': 'ecs' }
  const log_configuration = { log_driver: 'awslogs', options }
  const port_mappings = [{ container_port: 8080 }]
  const task_definition = {
    family: 'logging',
    cpu: '256',
    memory: '512',
    network_mode: 'awsvpc',
    requires_compatibilities: ['FARGATE'],
    execution_role_arn: 'sluice-task-execution',
    container_definitions: [{ name: 'app', image: 'shop/app:2-crash', log_configuration, port_mappings }],
  }
  const org = await world.organization({ deploy: { task_definition } })
  const { moduleInstanceId } = await org.service(null)
  const { id } = await org.deploy(moduleInstanceId)

  const over = await org.untilStatus(id, 'ROLLED_BACK')

  expect(sectionOf(over, lastLinesTitle).at(-1)).toContain('"exitCode":1')
})

describe('tasks that fail their health checks', () => {
  // Keep tasks in the load balancer until Sluice has diagnosed the failure.
  beforeAll(() => world.cloud.setTiming({ stopSeconds: 1e6 }))
  afterAll(() => world.cloud.setTiming({ stopSeconds: 10 }))

  test('are reported by the load balancer as well', async () => {
    const org = await world.organization()
    const { moduleInstanceId } = await org.service(blueGreen)
    const { id } = await org.deploy(moduleInstanceId, 'shop/app:2-unhealthy')

    const over = await org.untilStatus(id, 'ROLLING_BACK')

    expect(sectionOf(over, 'Target health')).toContainEqual(expect.stringMatching(/^10\.[\d.]+ in .*-green is \w+/))
  })
})

/** Moves the deadline of a deployment, and the wake-up that it implies, to the past. Counts as a regular write. */
async function passDeadline(id: string): Promise<void> {
  const past = new Date(Date.now() - 60_000)
  const revision = sql`${deployments.revision} + 1`
  await world.db.update(deployments).set({ deadlineAt: past, wakeAt: past, revision }).where(eq(deployments.id, id))
}

describe.concurrent('a release that hangs', () => {
  test.each([
    ['rolling', null],
    ['blue/green', blueGreen],
  ])('%s: is cancelled at its deadline and rolled back', async (_name, strategy) => {
    const org = await world.organization({ deploy: { timeout: 60 } })
    const service = await org.service(strategy)
    const { id } = await org.deploy(service.moduleInstanceId, 'shop/app:2-hang')
    await org.until(id, 'scaling up', (seen) => stepsOf(seen).includes('SCALE_UP'))

    await passDeadline(id)
    const over = await org.untilStatus(id, 'ROLLED_BACK')

    expect(over.error).toMatchObject({
      code: 'Sluice:Deployments:TIMED_OUT',
      message: 'The deployment did not finish within its timeout of 60 s of work.',
    })
    expect(stepsOf(over).slice(-2)).toEqual(['ROLLBACK_STARTED', 'ROLLED_BACK'])
    expect(await org.calls('StopServiceDeployment', { accepted: true })).toHaveLength(1)
    expect(await runningImage(org, service)).toBe(`${service.input.family}:1`)
  })

  test('reports what blocked it instead of advising to wait longer', async () => {
    const org = await world.organization({ deploy: { timeout: 60 } })
    const service = await org.service()
    const { cluster_arn: cluster, service_arn } = service.input
    const deploymentConfiguration = { minimumHealthyPercent: 100, maximumPercent: 100 }
    await org.clients.ecs.send(new UpdateServiceCommand({ cluster, service: service_arn, deploymentConfiguration }))
    const { id } = await org.deploy(service.moduleInstanceId, 'shop/app:2')
    await org.until(id, 'scaling up', (seen) => stepsOf(seen).includes('SCALE_UP'))

    await passDeadline(id)
    const over = await org.untilStatus(id, 'ROLLED_BACK')

    expect(over.error).toMatchObject({
      code: 'Sluice:Deployments:TIMED_OUT',
      description:
        '0 of 2 tasks of the new version were running, and 0 were starting. The deployment configuration allows no task ' +
        'to stop or start: lower minimumHealthyPercent or raise maximumPercent.',
    })
    expect(sectionOf(over, "The service's last events")).toContainEqual(
      expect.stringContaining('Update the minimumHealthyPercent or maximumPercent value'),
    )
  })

  test('and whose rollback hangs as well ends in ERROR', async () => {
    const org = await world.organization()
    const { moduleInstanceId } = await org.service()
    await org.fault({ kind: 'server-error', operation: 'StopServiceDeployment' })
    const { id } = await org.deploy(moduleInstanceId, 'shop/app:2-hang')
    await org.until(id, 'scaling up', (seen) => stepsOf(seen).includes('SCALE_UP'))

    await passDeadline(id)
    await org.untilStatus(id, 'ROLLING_BACK')
    await passDeadline(id)
    const over = await org.untilStatus(id, 'ERROR')

    expect(over.error?.code).toBe('Sluice:Deployments:ROLLBACK_TIMED_OUT')
    expect(stepsOf(over).slice(-2)).toEqual(['ROLLBACK_STARTED', 'FAILED'])
  })

  test('against a cloud that does not answer ends in ERROR at its deadline, with the service unchanged', async () => {
    const org = await world.organization()
    const service = await org.service()
    await org.fault({ kind: 'server-error', operation: 'RegisterTaskDefinition' })
    const { id } = await org.deploy(service.moduleInstanceId)
    await org.untilStatus(id, 'IN_PROGRESS')

    await passDeadline(id)
    const over = await org.untilStatus(id, 'ERROR')

    expect(over.error?.code).toBe('Sluice:Deployments:TIMED_OUT')
    expect(await org.calls('UpdateService')).toEqual([])
  })
})

describe.concurrent('a request that the cloud rejects', () => {
  /**
   * Waits for the end of a deployment whose request the cloud rejected, and returns the cloud's message from its error.
   */
  async function refusedBy(org: TestOrganization, service: TestService) {
    const { id } = await org.deploy(service.moduleInstanceId)
    const over = await org.untilStatus(id, 'ERROR')
    expect(over.error?.code).toBe('Sluice:Deployments:CLOUD_REFUSED')
    expect(stepsOf(over).at(-1)).toBe('FAILED')
    expect(await runningImage(org, service)).toBe(`${service.input.family}:1`)
    const answer = over.error?.details?.find(({ title }) => title === "The cloud's answer")
    return { over, answer: answer?.object }
  }

  test('because of an unknown cluster', async () => {
    const org = await world.organization()
    const cluster_arn = `arn:aws:ecs:eu-west-1:${org.accountNumber}:cluster/nowhere`
    const { over, answer } = await refusedBy(org, await org.service(null, { change: { cluster_arn } }))

    expect(answer).toMatchObject({ error: 'ClusterNotFoundException', reason: 'Cluster not found.' })
    expect(over.error?.message).toBe('The cloud refused to show the service: Cluster not found.')
    expect(stepsOf(over)).toEqual(['INIT', 'FAILED'])
  })

  test('because of an unknown service', async () => {
    const org = await world.organization()
    const there = await org.service()
    const service_arn = `${there.serviceArn}-gone`
    const { answer } = await refusedBy(org, {
      ...there,
      moduleInstanceId: (await org.service(null, { change: { service_arn } })).moduleInstanceId,
    })

    expect(answer).toMatchObject({ error: 'ServiceNotFoundException', reason: expect.stringContaining(service_arn) })
  })

  test.each([
    ['DescribeServices', 'show the service', ['INIT', 'FAILED']],
    ['RegisterTaskDefinition', 'register the task definition', ['INIT', 'FAILED']],
    ['UpdateService', 'update the service', ['INIT', 'REGISTER_RELEASE', 'FAILED']],
  ])('because the role lacks ecs:%s', async (operation, step, steps) => {
    const org = await world.organization()
    const service = await org.service()
    await org.deny(`ecs:${operation}`)
    const { id } = await org.deploy(service.moduleInstanceId)

    const over = await org.untilStatus(id, 'ERROR')

    expect(over.error).toMatchObject({
      code: 'Sluice:Deployments:CLOUD_REFUSED',
      message: expect.stringMatching(
        new RegExp(`^The cloud refused to ${step}: .* is not authorized to perform: ecs:${operation} on resource`),
      ),
      details: [{ render: 'object', object: { error: 'AccessDeniedException' } }],
    })
    expect(stepsOf(over)).toEqual(steps)
    expect(await org.calls('UpdateService', { accepted: true })).toEqual([])
    await org.deny()
    expect(await runningImage(org, service)).toBe(`${service.input.family}:1`)
  })

  test('because the role requires another external id and cannot be assumed', async () => {
    // Registered without delivery, as observing the service would cache the credentials of the role.
    const org = await world.organization({ delivery: false })
    const { moduleInstanceId } = await org.service()
    await world.cloud.putRole({ roleArn: `arn:aws:iam::${org.accountNumber}:role/sluice`, externalId: 'of-another' })
    const { id } = await org.deploy(moduleInstanceId)

    const over = await org.untilStatus(id, 'ERROR')

    expect(over.error).toMatchObject({
      code: 'Sluice:Deployments:CLOUD_REFUSED',
      message: expect.stringContaining('sts:AssumeRole'),
    })
  })

  test('because of a wrong parameter', async () => {
    const org = await world.organization()
    const test_listener_rule_arn = 'no-rule'
    const { over, answer } = await refusedBy(org, await org.service(blueGreen, { change: { test_listener_rule_arn } }))

    const reason = expect.stringMatching(/^testListenerRule has an invalid ARN format\..* Got: no-rule$/)
    expect(answer).toMatchObject({ error: 'InvalidParameterException', reason })
    expect(stepsOf(over)).toEqual(['INIT', 'REGISTER_RELEASE', 'FAILED'])
    expect(await org.calls('UpdateService', { accepted: true })).toEqual([])
  })

  test('does not prevent the next release from starting', async () => {
    const org = await world.organization()
    const { moduleInstanceId } = await org.service()
    await org.deny('ecs:UpdateService')
    const { id } = await org.deploy(moduleInstanceId)
    await org.untilStatus(id, 'ERROR')
    await org.deny()

    const next = await org.deploy(moduleInstanceId)

    expect((await org.untilStatus(next.id, 'SUCCESS', 'ERROR')).error).toBeUndefined()
  })
})

describe.concurrent('transient errors of the cloud never fail a release', () => {
  test('if the answer to an update times out and the cloud receives the update later', async () => {
    const org = await world.organization()
    const service = await org.service()
    // The timeout of a request is 10 s.
    await org.fault({ kind: 'slow', operation: 'UpdateService', delayMs: 12_000, times: 1 })

    const { id } = await org.deploy(service.moduleInstanceId)
    const done = await org.untilStatus(id, 'SUCCESS', 'ERROR', 'CANCELLED')

    expect(done.error).toBeUndefined()
    expect(await org.calls('UpdateService', { accepted: true })).toHaveLength(1)
    const { serviceArn } = service
    const { serviceDeployments } = await org.clients.ecs.send(
      new ListServiceDeploymentsCommand({ service: serviceArn }),
    )
    expect(serviceDeployments).toHaveLength(2) // the service's initial one, and the release
  })

  /** How often each operation fails. Retries of one poll fail one after the other, with growing delays. */
  const trouble = {
    DescribeServices: 2,
    DescribeTaskDefinition: 1,
    RegisterTaskDefinition: 2,
    UpdateService: 2,
    ListServiceDeployments: 2,
    DescribeServiceDeployments: 2,
    ContinueServiceDeployment: 2,
    DescribeRules: 1,
    DescribeListeners: 1,
    DescribeLoadBalancers: 1,
  }

  /** Runs a canary release with both of its pauses while the faults are active. */
  async function releaseThrough(org: TestOrganization, { moduleInstanceId }: TestService): Promise<Deployment> {
    const { id } = await org.deploy(moduleInstanceId)
    return org.continueToEnd(id)
  }

  async function expectOneOfEach(org: TestOrganization): Promise<void> {
    // One of the two is the service's initial task definition.
    expect(await org.calls('RegisterTaskDefinition', { accepted: true })).toHaveLength(2)
    expect(await org.calls('UpdateService', { accepted: true })).toHaveLength(1)
    expect(await org.calls('ContinueServiceDeployment', { accepted: true })).toHaveLength(2)
  }

  test.each(['throttle', 'server-error', 'expired-token', 'drop-answer'] as const)(
    'if every operation fails with %s',
    async (kind) => {
      const org = await world.organization()
      const service = await org.service(pausingBeforeShifts(canary))
      for (const [operation, times] of Object.entries(trouble)) await org.fault({ kind, operation, times })

      const done = await releaseThrough(org, service)

      expect(done).toMatchObject({ status: 'SUCCESS' })
      expect(done.error).toBeUndefined()
      expect(stepsOf(done)).not.toContain('FAILED')
      await expectOneOfEach(org)
      const troubled = await org.calls('UpdateService', kind === 'drop-answer' ? {} : { accepted: false })
      expect(troubled).not.toEqual([])
    },
  )

  test('if answers are slow', async () => {
    const org = await world.organization()
    const service = await org.service(pausingBeforeShifts(canary))
    await org.fault({ kind: 'slow', delayMs: 150 })

    const done = await releaseThrough(org, service)

    expect(done).toMatchObject({ status: 'SUCCESS' })
    await expectOneOfEach(org)
  })

  test('if the answer to the update is lost and the service runs the release already', async () => {
    const org = await world.organization()
    const { moduleInstanceId } = await org.service()
    const first = await org.deploy(moduleInstanceId)
    await org.untilStatus(first.id, 'SUCCESS')
    await org.fault({ kind: 'drop-answer', operation: 'UpdateService', times: 1 })

    const again = await org.redeploy(first.id)
    const done = await org.untilStatus(again.id, 'SUCCESS', 'CANCELLED', 'ERROR')

    expect(done.error).toBeUndefined()
    const updates = await org.calls('UpdateService', { accepted: true })
    expect(updates.map(({ request }) => request)).toMatchObject([
      { forceNewDeployment: false },
      { forceNewDeployment: true },
    ])
  })
})

describe.concurrent('an alarm of the module', () => {
  /** Sets the state of the alarm `errors` in the organization's account. */
  async function setAlarm(
    { clients: { metrics } }: TestOrganization,
    StateValue: 'OK' | 'ALARM',
    AlarmName = 'errors',
  ) {
    const metric = { Namespace: 'Shop', MetricName: 'Errors', Statistic: 'Sum' as const, Period: 60 }
    const rule = { EvaluationPeriods: 1, Threshold: 1, ComparisonOperator: 'GreaterThanThreshold' as const }
    await metrics.send(new PutMetricAlarmCommand({ AlarmName, ...metric, ...rule }))
    await metrics.send(new SetAlarmStateCommand({ AlarmName, StateValue, StateReason: 'told to' }))
  }

  test('rolls back the release when it enters ALARM, and is named in the error', async () => {
    const org = await world.organization({ deploy: { alarms: ['errors'] } })
    const service = await org.service(pausingBeforeShifts(canary))
    await setAlarm(org, 'OK')
    const before = await runningImage(org, service)
    const { id } = await org.deploy(service.moduleInstanceId)
    await org.untilPaused(id)

    await setAlarm(org, 'ALARM')
    const over = await org.untilStatus(id, 'ROLLED_BACK')

    expect(over.error).toMatchObject({
      code: 'Sluice:Deployments:ALARM_TRIGGERED',
      message: 'An alarm went off during the release: errors.',
    })
    expect(await runningImage(org, service)).toBe(before)
  })

  const warningsOf = (deployment: Deployment) =>
    eventsOf(deployment).flatMap(({ stepCode, message }) => (stepCode === 'WARNING' ? [message] : []))

  test('is ignored if it is in ALARM at the start, which the release reports before it changes the service', async () => {
    const org = await world.organization({ deploy: { alarms: ['errors', 'latency'] } })
    const { moduleInstanceId } = await org.service()
    await setAlarm(org, 'ALARM')
    await setAlarm(org, 'OK', 'latency')

    const { id } = await org.deploy(moduleInstanceId)
    const over = await org.untilStatus(id, 'SUCCESS', 'ROLLED_BACK')

    expect(over.status).toBe('SUCCESS')
    expect(warningsOf(over)).toEqual([
      'No alarm guards this release: errors is in the state ALARM, and the cloud ignores all alarms of a release that ' +
        'starts then (errors, latency). Wait until no alarm is in ALARM, or watch the release yourself.',
    ])
    expect(stepsOf(over).indexOf('WARNING')).toBeLessThan(stepsOf(over).indexOf('UPDATE_SERVICE'))
    expect(stepsOf(over).slice(-2)).toEqual(['BAKE', 'COMPLETED'])
  })

  test('that does not exist is reported before the cloud rejects it, even if only the service names it', async () => {
    const org = await world.organization()
    const { moduleInstanceId, input } = await org.service()
    await setAlarm(org, 'OK')
    await setAlarm(org, 'OK', 'removed')
    const place = { cluster: input.cluster_arn, service: input.service_arn }
    const alarms = { alarmNames: ['errors', 'removed'], enable: true, rollback: true }
    await org.clients.ecs.send(new UpdateServiceCommand({ ...place, deploymentConfiguration: { alarms } }))
    await org.clients.metrics.send(new DeleteAlarmsCommand({ AlarmNames: ['removed'] }))

    const over = await org.untilStatus((await org.deploy(moduleInstanceId)).id, 'SUCCESS', 'ERROR')

    expect(warningsOf(over)).toEqual([
      expect.stringMatching(/^The alarm removed does not exist .* The cloud rejects an update/),
    ])
    expect(over).toMatchObject({ status: 'ERROR', error: { message: expect.stringContaining('removed') } })
  })

  test('that is read after throttling ended is not reported', async () => {
    const org = await world.organization({ deploy: { alarms: ['errors'] } })
    const { moduleInstanceId } = await org.service()
    await setAlarm(org, 'OK')
    await org.fault({ kind: 'throttle', operation: 'DescribeAlarms', times: 2 })

    const over = await org.untilStatus((await org.deploy(moduleInstanceId)).id, 'SUCCESS', 'ERROR')

    expect(over.status).toBe('SUCCESS')
    expect(warningsOf(over), 'see readUnlessTroubled in types/ecs/execute.ts').toEqual([])
  })

  test('that is throttled for long is reported, and the release continues', async () => {
    const org = await world.organization({ deploy: { alarms: ['errors'] } })
    const { moduleInstanceId } = await org.service()
    await setAlarm(org, 'OK')
    await org.fault({ kind: 'throttle', operation: 'DescribeAlarms', times: 4 })

    const over = await org.untilStatus((await org.deploy(moduleInstanceId)).id, 'SUCCESS', 'ERROR')

    expect(over.status).toBe('SUCCESS')
    expect(warningsOf(over)).toEqual([
      expect.stringMatching(/^Could not check the alarms errors: .*[^.]\. The release continues\.$/),
    ])
  })

  test('that the role cannot read does not block a release', async () => {
    const org = await world.organization({ deploy: { alarms: ['errors'] } })
    const { moduleInstanceId } = await org.service()
    await setAlarm(org, 'OK')
    await org.deny('cloudwatch:DescribeAlarms')

    const over = await org.untilStatus((await org.deploy(moduleInstanceId)).id, 'SUCCESS')

    expect(warningsOf(over)).toEqual([
      expect.stringMatching(
        /^Could not check the alarms errors: .* The connected role needs cloudwatch:DescribeAlarms. The release continues.$/,
      ),
    ])
  })
})
