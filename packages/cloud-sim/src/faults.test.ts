import {
  CreateClusterCommand,
  DescribeClustersCommand,
  ListClustersCommand,
  UpdateServiceCommand,
} from '@aws-sdk/client-ecs'
import { DescribeLoadBalancersCommand } from '@aws-sdk/client-elastic-load-balancing-v2'
import { expect, test } from 'vitest'
import { untilPasses } from '../../../testing/until-passes.ts'
import {
  createRestingService,
  deploy,
  describeDeployment,
  listDeployments,
  registerTaskDefinition,
  startCloud,
  waitForEnd,
  waitForPause,
} from './testing/cloud.ts'

test.for([
  ['throttle', 'ThrottlingException', 400, 'Throttling', 400],
  ['server-error', 'ServerException', 500, 'InternalFailure', 500],
  ['access-denied', 'AccessDeniedException', 400, 'AccessDenied', 403],
  ['expired-token', 'ExpiredTokenException', 400, 'ExpiredToken', 403],
] as const)(
  '%s is returned in the format of each protocol, and the operation is not executed',
  async ([kind, json, jsonStatus, query, queryStatus]) => {
    await using cloud = await startCloud()
    await cloud.control.addFault({ kind, times: 2 })
    const create = new CreateClusterCommand({ clusterName: 'main' })
    const rejection = await cloud.ecs.send(create).catch((error: unknown) => error)
    expect(rejection).toMatchObject({ name: json, $metadata: { httpStatusCode: jsonStatus } })
    const other = await cloud.elb.send(new DescribeLoadBalancersCommand()).catch((error: unknown) => error)
    expect(other).toMatchObject({ name: query, $metadata: { httpStatusCode: queryStatus } })
    expect((await cloud.ecs.send(new ListClustersCommand())).clusterArns).toEqual([])
    expect(await cloud.control.calls({ operation: 'CreateCluster' })).toMatchObject([
      { accepted: false, status: jsonStatus, errorCode: json, request: { clusterName: 'main' } },
    ])
  },
)

test('for a dropped response, the caller sees a broken connection, and the operation is executed and recorded', async () => {
  await using cloud = await startCloud()
  await createRestingService(cloud)
  const taskDefinition = await registerTaskDefinition(cloud, 'web:2')
  await cloud.control.addFault({ kind: 'drop-answer', operation: 'UpdateService', times: 1 })
  const update = new UpdateServiceCommand({ cluster: 'main', service: 'web', taskDefinition })
  await expect(cloud.ecs.send(update)).rejects.toMatchObject({ code: 'ECONNRESET' })
  const accepted = { operation: 'UpdateService', accepted: true, resource: 'web' }
  expect(await cloud.control.calls(accepted)).toMatchObject([{ status: 200, request: { taskDefinition } }])
  await cloud.control.advance(5)
  expect(await listDeployments(cloud)).toHaveLength(2)
  await cloud.ecs.send(update) // again: the same task definition starts nothing
  await cloud.control.advance(5)
  expect(await listDeployments(cloud)).toHaveLength(2)
})

test('a fault applies to matching calls, as often as requested', async () => {
  await using cloud = await startCloud()
  await cloud.control.addFault({ kind: 'throttle', operation: 'ListClusters', service: 'ecs', times: 1 })
  await cloud.control.addFault({ kind: 'throttle', account: '999999999999' })
  await cloud.ecs.send(new DescribeClustersCommand())
  await expect(cloud.ecs.send(new ListClustersCommand())).rejects.toMatchObject({ name: 'ThrottlingException' })
  await cloud.ecs.send(new ListClustersCommand())
  const slow = { kind: 'slow' as const, delayMs: 300, times: 1 }
  await cloud.control.addFault(slow)
  const before = Date.now()
  await cloud.ecs.send(new ListClustersCommand())
  expect(Date.now() - before).toBeGreaterThanOrEqual(300)
})

test('a cloud killed during a deployment continues where it was', async () => {
  await using cloud = await startCloud()
  await createRestingService(cloud)
  const { arn } = await deploy(cloud, 'web:2', {
    strategy: 'CANARY',
    canaryConfiguration: { canaryPercent: 10, canaryBakeTimeInMinutes: 10 },
    lifecycleHooks: [
      {
        targetType: 'PAUSE',
        lifecycleStages: ['PRE_PRODUCTION_TRAFFIC_SHIFT'],
        timeoutConfiguration: { timeoutInMinutes: 5, action: 'CONTINUE' },
      },
    ],
  })
  const before = await waitForPause(cloud, arn)
  const calls = await cloud.control.calls()
  await cloud.killAndRestart()
  const after = await describeDeployment(cloud, arn)
  expect(after).toMatchObject({
    status: 'IN_PROGRESS',
    lifecycleStage: 'PRE_PRODUCTION_TRAFFIC_SHIFT',
    lifecycleHookDetails: before.lifecycleHookDetails ?? [],
    targetServiceRevision: before.targetServiceRevision,
  })
  expect((await cloud.control.calls()).slice(0, calls.length)).toEqual(calls)
  await cloud.killAndRestart()
  expect(await waitForEnd(cloud, arn)).toMatchObject({
    status: 'SUCCESSFUL',
    lifecycleHookDetails: [{ status: 'TIMED_OUT' }, { status: 'TIMED_OUT' }],
  })
})

test('an accepted call is stored before its response', async () => {
  await using cloud = await startCloud()
  for (let round = 0; round < 5; round++) {
    await cloud.ecs.send(new CreateClusterCommand({ clusterName: `cluster-${round}` }))
    await cloud.killAndRestart()
    expect((await cloud.ecs.send(new ListClustersCommand())).clusterArns).toHaveLength(round + 1)
  }
  expect(await cloud.control.calls({ operation: 'CreateCluster', accepted: true })).toHaveLength(5)
})

test('a change of speed preserves the order of scheduled events', async () => {
  await using cloud = await startCloud()
  await createRestingService(cloud)
  const { arn } = await deploy(cloud, 'web:2', { strategy: 'BLUE_GREEN', bakeTimeInMinutes: 60 })
  await cloud.control.advance(120)
  expect((await describeDeployment(cloud, arn)).lifecycleStage).toBe('BAKE_TIME')
  await cloud.control.setSpeed(100_000)
  await untilPasses(async () => expect((await describeDeployment(cloud, arn)).status).toBe('SUCCESSFUL'))
})

test('any error can be injected by code, status and message', async () => {
  await using cloud = await startCloud()
  const error = { kind: 'error', code: 'ServerException', status: 500, message: 'Service Unavailable.' } as const
  await cloud.control.addFault({ ...error, operation: 'ListClusters', times: 1 })
  await expect(cloud.ecs.send(new ListClustersCommand({}))).rejects.toMatchObject({
    name: 'ServerException',
    message: 'Service Unavailable.',
    $metadata: { httpStatusCode: 500 },
  })
  await cloud.ecs.send(new ListClustersCommand({}))
  await expect(cloud.control.addFault({ kind: 'error' })).rejects.toThrow('has a code')
})

test('a call can be delayed after its work: a caller that times out finds it done', async () => {
  await using cloud = await startCloud()
  await cloud.control.addFault({ kind: 'slow', operation: 'CreateCluster', delayMs: 30_000, afterwards: true })
  const abortSignal = AbortSignal.timeout(1_000)
  await expect(cloud.ecs.send(new CreateClusterCommand({ clusterName: 'late' }), { abortSignal })).rejects.toThrow()
  const { clusterArns } = await cloud.ecs.send(new ListClustersCommand({}))
  expect(clusterArns).toEqual([expect.stringContaining('cluster/late')])
})
