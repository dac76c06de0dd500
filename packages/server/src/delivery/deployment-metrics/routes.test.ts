import { PutMetricDataCommand } from '@aws-sdk/client-cloudwatch'
import { apiErrors, type DeploymentMetrics } from '@sluice/contract'
import { beforeAll, expect, test } from 'vitest'
import { testFunction } from '../../testing/functions.ts'
import { blueGreen, canary, pausing } from '../../testing/strategies.ts'
import { ecsDataOf, sharedWorld, type TestOrganization, type World } from '../../testing/world.ts'

let world: World
beforeAll(async () => {
  world = await sharedWorld()
})

const minuteMs = 60_000

async function metricsOf(org: TestOrganization, id: string): Promise<DeploymentMetrics> {
  const { status, body } = await org.client.ask('GET', `/deployments/${id}/metrics`)
  expect(status, JSON.stringify(body)).toBe(200)
  return body as DeploymentMetrics
}

const pausingBeforeUsers = pausing(blueGreen, ['POST_TEST_TRAFFIC_SHIFT'])
const check = {
  name: 'too many errors',
  metric: { namespace: 'Shop', name: 'Errors', statistic: 'Average' },
  at_most: 5,
}

/** Adds a point of a metric to the last complete minute. */
const put = (org: TestOrganization, about: { Namespace: string; MetricName: string }, where: object, Value: number) => {
  const Dimensions = Object.entries(where).map(([Name, Value]) => ({ Name, Value: String(Value) }))
  const Timestamp = new Date(Date.now() - 2 * minuteMs)
  const { Namespace, MetricName } = about
  const MetricData = [{ MetricName, Dimensions, Value, Timestamp }]
  return org.clients.metrics.send(new PutMetricDataCommand({ Namespace, MetricData }))
}

test('a service is compared by the target groups of its versions, and metrics of checks have their bounds', async () => {
  const org = await world.organization({
    deploy: { analysis: { interval: 3_600, count: 1, checks: [check] } },
  })
  const { moduleInstanceId } = await org.service(pausingBeforeUsers)
  const { id } = await org.deploy(moduleInstanceId)
  await org.untilPaused(id)
  const { elbListenerState = [] } = ecsDataOf(await org.get(id))
  const [{ loadBalancerArn = '', rules = [] } = {}] = elbListenerState
  const groups = [...new Set(rules.map(({ targetGroupArn }) => targetGroupArn.split(':').at(-1) ?? ''))]
  const LoadBalancer = loadBalancerArn.split(':loadbalancer/')[1]
  for (const [index, TargetGroup] of groups.entries()) {
    const errors = { Namespace: 'AWS/ApplicationELB', MetricName: 'HTTPCode_Target_5XX_Count' }
    await put(org, errors, { LoadBalancer, TargetGroup }, 10 * (index + 1))
  }
  await put(org, { Namespace: 'Shop', MetricName: 'Errors' }, {}, 3)

  const { data: metrics, meta } = await metricsOf(org, id)

  expect(meta.error).toBeUndefined()
  expect(metrics.map(({ id, unit }) => [id, unit])).toEqual([
    ['requests', 'COUNT'],
    ['errors', 'PERCENT'],
    ['latency', 'SECONDS'],
    ['check-too many errors', undefined],
  ])
  const [requests, errors, , measured] = metrics
  // All users are on the old version while the new one is being tested.
  expect(requests?.old?.length).toBeGreaterThan(10)
  expect(requests?.new).toEqual([])
  expect(errors?.old?.length).toBe(requests?.old?.length)
  expect(Math.max(...(errors?.old ?? []).map(({ value }) => value))).toBeLessThan(100)
  expect(measured).toMatchObject({ maximum: 5, both: [{ value: 3 }] })
  expect(measured?.old).toBeUndefined()
})

test('a function is compared by its versions', async () => {
  const org = await world.organization()
  const made = await testFunction(org, { strategy: pausing(canary, ['PRE_PRODUCTION_TRAFFIC_SHIFT']) })
  const { id } = await made.deploy()
  await org.untilPaused(id)

  const { data } = await metricsOf(org, id)

  expect(data.map(({ id }) => id)).toEqual(['requests', 'errors', 'latency'])
  const [calls, errors, duration] = data
  expect(calls?.old?.length).toBeGreaterThan(10)
  expect(new Set(errors?.old?.map(({ value }) => value))).toEqual(new Set([0]))
  expect(duration?.unit).toBe('MILLISECONDS')
})

test('a rolling release has nothing to compare', async () => {
  const org = await world.organization()
  const { moduleInstanceId } = await org.service()
  const { id } = await org.deploy(moduleInstanceId)
  await org.untilStatus(id, 'SUCCESS')
  expect((await metricsOf(org, id)).data).toEqual([])
})

test('viewers of the same release share one request', async () => {
  const org = await world.organization()
  const { moduleInstanceId } = await org.service(pausingBeforeUsers)
  const { id } = await org.deploy(moduleInstanceId)
  await org.untilPaused(id)
  const all = await Promise.all(Array.from({ length: 20 }, () => metricsOf(org, id)))
  expect(new Set(all.map((one) => JSON.stringify(one))).size).toBe(1)
  expect(await org.calls('GetMetricData')).toHaveLength(1)
})

test('an error of the cloud is returned', async () => {
  const org = await world.organization()
  const { moduleInstanceId } = await org.service(pausingBeforeUsers)
  const { id } = await org.deploy(moduleInstanceId)
  await org.untilPaused(id)
  await org.deny('cloudwatch:GetMetricData')
  const { data, meta } = await metricsOf(org, id)
  expect(data).toEqual([])
  expect(meta.error).toMatchObject({
    code: apiErrors.monitorSourceRefused.code,
    message: expect.stringContaining('AccessDenied'),
  })
})

test('a release of another organization is not found', async () => {
  const [org, other] = await Promise.all([world.organization(), world.organization()])
  const { moduleInstanceId } = await org.service(pausingBeforeUsers)
  const { id } = await org.deploy(moduleInstanceId)
  expect((await other.client.ask('GET', `/deployments/${id}/metrics`)).status).toBe(404)
})
