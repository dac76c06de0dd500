import {
  CloudWatchClient,
  DescribeAlarmsCommand,
  GetMetricDataCommand,
  type GetMetricDataInput,
  ListMetricsCommand,
  PutMetricAlarmCommand,
  type PutMetricAlarmInput,
  PutMetricDataCommand,
  SetAlarmStateCommand,
} from '@aws-sdk/client-cloudwatch'
import {
  CreateAliasCommand,
  CreateFunctionCommand,
  LambdaClient,
  UpdateAliasCommand,
  UpdateFunctionCodeCommand,
} from '@aws-sdk/client-lambda'
import { describe, expect, test } from 'vitest'
import { account, createRestingService, startCloud, type TestCloud } from '../testing/cloud.ts'

const minute = 60_000
const thisMinute = () => Math.floor(Date.now() / minute) * minute
const dimensions = [{ Name: 'Service', Value: 'web' }]

const put = (client: CloudWatchClient, values: number[], at: number) =>
  client.send(
    new PutMetricDataCommand({
      Namespace: 'Shop',
      MetricData: values.map((Value) => ({
        MetricName: 'Errors',
        Dimensions: dimensions,
        Value,
        Timestamp: new Date(at),
      })),
    }),
  )

const errors = (Stat: string, Period = 60, Id = 'errors') => ({
  Id,
  MetricStat: { Metric: { Namespace: 'Shop', MetricName: 'Errors', Dimensions: dimensions }, Stat, Period },
})

const lastMinutes = (minutes: number): Pick<GetMetricDataInput, 'StartTime' | 'EndTime'> => ({
  StartTime: new Date(thisMinute() - minutes * minute),
  EndTime: new Date(thisMinute() + minute),
})

const open = (cloud: TestCloud) => new CloudWatchClient(cloud.settings)

describe.concurrent('metrics', () => {
  test('stored values are returned as statistics per period, newest first by default', async () => {
    await using cloud = await startCloud()
    const client = open(cloud)
    const now = thisMinute()
    await put(client, [1, 2, 9], now - 2 * minute)
    await put(client, [4], now - minute)
    const statistics = ['Average', 'Sum', 'Minimum', 'Maximum', 'SampleCount', 'p50']
    const MetricDataQueries = statistics.map((statistic, index) => errors(statistic, 60, `m${index}`))
    const { MetricDataResults = [] } = await client.send(
      new GetMetricDataCommand({ ...lastMinutes(10), MetricDataQueries }),
    )
    expect(MetricDataResults.map(({ Values }) => Values)).toEqual([
      [4, 4],
      [4, 12],
      [4, 1],
      [4, 9],
      [1, 3],
      [4, 2],
    ])
    expect(MetricDataResults[0]?.Timestamps).toEqual([new Date(now - minute), new Date(now - 2 * minute)])
    const ascending = new GetMetricDataCommand({
      ...lastMinutes(10),
      MetricDataQueries: [errors('Sum')],
      ScanBy: 'TimestampAscending',
    })
    expect((await client.send(ascending)).MetricDataResults?.[0]?.Values).toEqual([12, 4])
    const { Metrics } = await client.send(new ListMetricsCommand({ Namespace: 'Shop' }))
    expect(Metrics).toEqual([{ Namespace: 'Shop', MetricName: 'Errors', Dimensions: dimensions }])
  })

  test('more points than a page holds are returned in partial pages', async () => {
    await using cloud = await startCloud()
    const client = open(cloud)
    const now = thisMinute()
    for (const ago of [1, 2, 3, 4, 5]) await put(client, [ago], now - ago * minute)
    const seen: number[] = []
    const page: GetMetricDataInput = { ...lastMinutes(10), MetricDataQueries: [errors('Sum')], MaxDatapoints: 2 }
    let NextToken: string | undefined
    do {
      const answer = await client.send(new GetMetricDataCommand({ ...page, NextToken }))
      NextToken = answer.NextToken
      seen.push(...(answer.MetricDataResults?.[0]?.Values ?? []))
      expect(answer.MetricDataResults?.[0]?.StatusCode).toBe(NextToken ? 'PartialData' : 'Complete')
    } while (NextToken)
    expect(seen).toEqual([1, 2, 3, 4, 5])
  })

  test('a service has generated metrics that are the same on every read', async () => {
    await using cloud = await startCloud()
    await createRestingService(cloud)
    const Dimensions = [
      { Name: 'ServiceName', Value: 'web' },
      { Name: 'ClusterName', Value: 'main' },
    ]
    const Metric = { Namespace: 'AWS/ECS', MetricName: 'CPUUtilization', Dimensions }
    const EndTime = new Date(thisMinute() - 5 * minute)
    const StartTime = new Date(EndTime.getTime() - 60 * minute)
    const look = async () => {
      const MetricDataQueries = [{ Id: 'cpu', MetricStat: { Metric, Stat: 'Average', Period: 300 } }]
      const answer = await open(cloud).send(new GetMetricDataCommand({ StartTime, EndTime, MetricDataQueries }))
      return answer.MetricDataResults?.[0]?.Values ?? []
    }
    const values = await look()
    expect(values.length).toBeGreaterThanOrEqual(12)
    for (const value of values) expect(value > 0 && value <= 100).toBe(true)
    expect(new Set(values).size).toBeGreaterThan(5)
    expect(await look()).toEqual(values)
  })

  test('a target group’s metrics follow its share of the load balancer’s requests, without test traffic', async () => {
    await using cloud = await startCloud()
    const { loadBalancer } = await createRestingService(cloud)
    const { targetGroupArn = '', advancedConfiguration } = loadBalancer ?? {}
    const { alternateTargetGroupArn = '', productionListenerRule = '' } = advancedConfiguration ?? {}
    const LoadBalancer = productionListenerRule.split(':listener-rule/')[1]?.split('/').slice(0, 3).join('/')
    const sums = async (groupArn?: string) => {
      const named = { LoadBalancer, ...(groupArn && { TargetGroup: groupArn.split(':').at(-1) }) }
      const Dimensions = Object.entries(named).map(([Name, Value]) => ({ Name, Value }))
      const Metric = { Namespace: 'AWS/ApplicationELB', MetricName: 'RequestCount', Dimensions }
      const MetricDataQueries = [{ Id: 'm', MetricStat: { Metric, Stat: 'Sum', Period: 60 } }]
      const answer = await open(cloud).send(new GetMetricDataCommand({ ...lastMinutes(10), MetricDataQueries }))
      return answer.MetricDataResults?.[0]?.Values ?? []
    }
    expect(Math.min(...(await sums()))).toBeGreaterThan(0)
    expect(Math.min(...(await sums(targetGroupArn)))).toBeGreaterThan(0)
    expect(await sums(alternateTargetGroupArn)).toEqual([])
    expect(await sums('arn:aws:elasticloadbalancing:eu-west-1:1:targetgroup/other/1')).toEqual([])
  })

  test('a function has metrics in total, by alias, and by version according to its traffic share', async () => {
    await using cloud = await startCloud()
    const lambda = new LambdaClient(cloud.settings)
    const FunctionName = 'thumbnails'
    const Role = `arn:aws:iam::${account}:role/thumbnails`
    const about = { Runtime: 'nodejs22.x', Handler: 'index.handler', Publish: true } as const
    const Code = { S3Bucket: 'artifacts', S3Key: 'v1.zip' }
    await lambda.send(new CreateFunctionCommand({ FunctionName, Role, Code, ...about }))
    await lambda.send(new CreateAliasCommand({ FunctionName, Name: 'live', FunctionVersion: '1' }))
    const window = lastMinutes(10) // one window for all: a later one would lack its first minute
    const sums = async (MetricName: string, more: Record<string, string> = {}) => {
      const Dimensions = Object.entries({ FunctionName, ...more }).map(([Name, Value]) => ({ Name, Value }))
      const Metric = { Namespace: 'AWS/Lambda', MetricName, Dimensions }
      const MetricDataQueries = [{ Id: 'm', MetricStat: { Metric, Stat: 'Sum', Period: 60 } }]
      const answer = await open(cloud).send(new GetMetricDataCommand({ ...window, MetricDataQueries }))
      return answer.MetricDataResults?.[0]?.Values ?? []
    }
    const live = { Resource: 'thumbnails:live' }

    for (const more of [{}, { Resource: 'thumbnails' }, live, { ...live, ExecutedVersion: '1' }]) {
      expect(Math.min(...(await sums('Invocations', more)))).toBeGreaterThan(0)
      expect(new Set(await sums('Errors', more))).toEqual(new Set([0]))
    }
    expect(await sums('Errors', { ...live, ExecutedVersion: '2' })).toEqual([])
    const before = await sums('Invocations', { ...live, ExecutedVersion: '1' })
    await cloud.control.advance(60) // until it can be changed
    await lambda.send(new UpdateFunctionCodeCommand({ FunctionName, ...Code, S3Key: 'v2.zip', Publish: true }))
    const share = { FunctionVersion: '1', RoutingConfig: { AdditionalVersionWeights: { '2': 0.5 } } }
    await lambda.send(new UpdateAliasCommand({ FunctionName, Name: 'live', ...share }))
    // Values before the shift are unchanged; a minute may have been added meanwhile.
    expect((await sums('Invocations', { ...live, ExecutedVersion: '1' })).slice(-8)).toEqual(before.slice(-8))
    expect(await sums('Errors', { Resource: 'thumbnails:other' })).toEqual([])
  })

  test('an invalid query is rejected by its id', async () => {
    await using cloud = await startCloud()
    const ask = (query: ReturnType<typeof errors>) =>
      open(cloud).send(new GetMetricDataCommand({ ...lastMinutes(1), MetricDataQueries: [query] }))
    await expect(ask(errors('Median'))).rejects.toMatchObject({ name: 'ValidationException' })
    await expect(ask(errors('Sum', 61))).rejects.toMatchObject({ name: 'InvalidParameterValueException' })
    await expect(ask(errors('Sum', 60, 'Big'))).rejects.toMatchObject({ name: 'ValidationException' })
    const twice = { ...lastMinutes(1), MetricDataQueries: [errors('Sum'), errors('Average')] }
    await expect(open(cloud).send(new GetMetricDataCommand(twice))).rejects.toThrow(/not unique: errors/)
  })
})

describe.concurrent('alarms', () => {
  const rule: PutMetricAlarmInput = {
    AlarmName: 'too-many-errors',
    Namespace: 'Shop',
    MetricName: 'Errors',
    Dimensions: dimensions,
    Statistic: 'Sum',
    Period: 86_400, // all values of a test are in one period
    EvaluationPeriods: 1,
    Threshold: 5,
    ComparisonOperator: 'GreaterThanThreshold',
  }
  const stateOf = async (client: CloudWatchClient) => {
    const { MetricAlarms } = await client.send(new DescribeAlarmsCommand({ AlarmNames: ['too-many-errors'] }))
    return MetricAlarms?.[0]?.StateValue
  }

  test('an alarm is raised when its metric crosses the threshold', async () => {
    await using cloud = await startCloud()
    const client = open(cloud)
    await client.send(new PutMetricAlarmCommand(rule))
    expect(await stateOf(client)).toBe('INSUFFICIENT_DATA')
    await put(client, [3], Date.now())
    expect(await stateOf(client)).toBe('OK')
    await put(client, [3], Date.now())
    expect(await stateOf(client)).toBe('ALARM')
    const { MetricAlarms } = await client.send(new DescribeAlarmsCommand({ StateValue: 'ALARM' }))
    expect(MetricAlarms).toMatchObject([{ AlarmName: 'too-many-errors', Threshold: 5, Statistic: 'Sum' }])
  })

  test('a manually set state is returned', async () => {
    await using cloud = await startCloud()
    const client = open(cloud)
    await client.send(new PutMetricAlarmCommand(rule))
    const set = { AlarmName: 'too-many-errors', StateValue: 'ALARM' as const, StateReason: 'a drill' }
    await client.send(new SetAlarmStateCommand(set))
    expect(await stateOf(client)).toBe('ALARM')
    const nobody = new SetAlarmStateCommand({ ...set, AlarmName: 'nobody' })
    await expect(client.send(nobody)).rejects.toMatchObject({ name: 'ResourceNotFound' })
  })
})
