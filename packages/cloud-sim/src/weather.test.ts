import { CloudWatchClient, GetMetricDataCommand, PutMetricDataCommand } from '@aws-sdk/client-cloudwatch'
import { CloudWatchLogsClient, FilterLogEventsCommand } from '@aws-sdk/client-cloudwatch-logs'
import {
  CreateClusterCommand,
  DescribeTaskDefinitionCommand,
  ListClustersCommand,
  RegisterTaskDefinitionCommand,
} from '@aws-sdk/client-ecs'
import { GetFunctionCommand, LambdaClient, ListAliasesCommand } from '@aws-sdk/client-lambda'
import { expect, test } from 'vitest'
import { untilPasses } from '../../../testing/until-passes.ts'
import { startCloud } from './testing/cloud.ts'

const definition = { family: 'web', containerDefinitions: [{ name: 'web', image: 'web:1', memory: 128 }] }

test('with eventual consistency, a new resource cannot be described at once', async () => {
  await using cloud = await startCloud()
  await cloud.control.setWeather({ consistencySeconds: 60 })
  await cloud.ecs.send(new RegisterTaskDefinitionCommand(definition))
  const describe = () => cloud.ecs.send(new DescribeTaskDefinitionCommand({ taskDefinition: 'web:1' }))
  await expect(describe()).rejects.toMatchObject({ name: 'ClientException' })
  const { taskDefinition } = await cloud.ecs.send(new RegisterTaskDefinitionCommand(definition))
  expect(taskDefinition?.revision).toBe(2) // the caller of a change sees its result
  await cloud.control.advance(61)
  expect((await describe()).taskDefinition).toMatchObject({ revision: 1 })
})

test('lists are shuffled but complete', async () => {
  await using cloud = await startCloud()
  await cloud.control.setWeather({ shufflesLists: true })
  const names = Array.from({ length: 12 }, (_, index) => `c${index}`)
  for (const clusterName of names) await cloud.ecs.send(new CreateClusterCommand({ clusterName }))
  const list = async () => (await cloud.ecs.send(new ListClustersCommand({}))).clusterArns ?? []
  const orders = new Set<string>()
  for (let look = 0; look < 5; look += 1) {
    const arns = await list()
    expect(arns.toSorted().map((arn) => arn.split('/')[1])).toEqual(names.toSorted())
    orders.add(arns.join())
  }
  expect(orders.size).toBeGreaterThan(1)
})

test('too many registrations are throttled for a moment', async () => {
  await using cloud = await startCloud()
  await cloud.control.setWeather({ limitsRates: true })
  const register = () => cloud.ecs.send(new RegisterTaskDefinitionCommand(definition))
  const answers = await Promise.allSettled(Array.from({ length: 60 }, register))
  const refused = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason] : []))
  expect(answers.length - refused.length).toBeGreaterThanOrEqual(20)
  expect(refused.length).toBeGreaterThan(0)
  for (const reason of refused) expect(reason).toMatchObject({ name: 'ThrottlingException' })
  await untilPasses(register)
})

test('functions and logs have their own rate limits', async () => {
  await using cloud = await startCloud()
  await cloud.control.setWeather({ limitsRates: true })
  const apiErrors = async (ask: () => Promise<unknown>) => {
    const answers = await Promise.allSettled(Array.from({ length: 60 }, ask))
    return answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason.name] : []))
  }
  const lambda = new LambdaClient(cloud.settings)
  expect(await apiErrors(() => lambda.send(new ListAliasesCommand({ FunctionName: 'web' })))).toContain(
    'TooManyRequestsException',
  )
  expect(await apiErrors(() => lambda.send(new GetFunctionCommand({ FunctionName: 'web' })))).not.toContain(
    'TooManyRequestsException',
  )
  const logs = new CloudWatchLogsClient(cloud.settings)
  const find = new FilterLogEventsCommand({ logGroupName: 'a' })
  expect(await apiErrors(() => logs.send(find))).toContain('ThrottlingException')
})

test('metrics appear with a delay', async () => {
  await using cloud = await startCloud()
  await cloud.control.setWeather({ metricLagSeconds: 180 })
  const cloudWatch = new CloudWatchClient(cloud.settings)
  const MetricData = [{ MetricName: 'orders', Value: 7 }]
  await cloudWatch.send(new PutMetricDataCommand({ Namespace: 'shop', MetricData }))
  const Metric = { Namespace: 'shop', MetricName: 'orders' }
  const query = { Id: 'q', MetricStat: { Metric, Period: 60, Stat: 'Sum' } }
  const look = async () => {
    const [StartTime, EndTime] = [new Date(Date.now() - 600_000), new Date(Date.now() + 600_000)]
    const asked = new GetMetricDataCommand({ MetricDataQueries: [query], StartTime, EndTime })
    return (await cloudWatch.send(asked)).MetricDataResults?.[0]?.Values
  }
  expect(await look()).toEqual([])
  await cloud.control.advance(181)
  expect(await look()).toEqual([7])
  cloudWatch.destroy()
})

test('an unknown setting is rejected', async () => {
  await using cloud = await startCloud()
  await expect(cloud.control.setWeather({ consistencySeconds: -1 })).rejects.toThrow('no weather')
  await cloud.control.setWeather({ shufflesLists: true })
  expect(await cloud.control.weather()).toMatchObject({ shufflesLists: true, consistencySeconds: 0 })
})
