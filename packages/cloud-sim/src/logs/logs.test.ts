import {
  CloudWatchLogsClient,
  CreateLogGroupCommand,
  CreateLogStreamCommand,
  DescribeLogGroupsCommand,
  DescribeLogStreamsCommand,
  FilterLogEventsCommand,
  type FilterLogEventsRequest,
  GetLogEventsCommand,
  ListTagsForResourceCommand,
  PutLogEventsCommand,
} from '@aws-sdk/client-cloudwatch-logs'
import { CreateClusterCommand, CreateServiceCommand, RegisterTaskDefinitionCommand } from '@aws-sdk/client-ecs'
import { describe, expect, test } from 'vitest'
import { describeService, startCloud, type TestCloud, until } from '../testing/cloud.ts'

const logGroupName = '/shop/web'

async function openGroup(cloud: TestCloud, ...streams: string[]): Promise<CloudWatchLogsClient> {
  const client = new CloudWatchLogsClient(cloud.settings)
  await client.send(new CreateLogGroupCommand({ logGroupName }))
  for (const logStreamName of streams) await client.send(new CreateLogStreamCommand({ logGroupName, logStreamName }))
  return client
}

const put = (client: CloudWatchLogsClient, logStreamName: string, lines: [at: number, message: string][]) =>
  client.send(
    new PutLogEventsCommand({
      logGroupName,
      logStreamName,
      logEvents: lines.map(([timestamp, message]) => ({ timestamp, message })),
    }),
  )

/** Searches a log group and reads all pages. */
async function search(client: CloudWatchLogsClient, wish: Omit<FilterLogEventsRequest, 'logGroupName'> = {}) {
  const messages: string[] = []
  const ids = new Set<string | undefined>()
  let nextToken: string | undefined
  let pages = 0
  do {
    const answer = await client.send(new FilterLogEventsCommand({ logGroupName, ...wish, nextToken }))
    messages.push(...(answer.events ?? []).map(({ message = '' }) => message))
    for (const { eventId } of answer.events ?? []) ids.add(eventId)
    nextToken = answer.nextToken
    pages += 1
  } while (nextToken)
  return { messages, pages, ids }
}

describe.concurrent('logs', () => {
  test('lines of several streams are merged by time and paged, in either direction', async () => {
    await using cloud = await startCloud()
    const client = await openGroup(cloud, 'a/1', 'a/2', 'b/1')
    const now = Date.now()
    await put(client, 'a/1', [
      [now - 3_000, 'first'],
      [now - 1_000, 'third'],
    ])
    await put(client, 'a/2', [[now - 2_000, 'second']])
    await put(client, 'b/1', [[now - 500, 'fourth']])
    const oldestFirst = await search(client, { limit: 2 })
    expect(oldestFirst.messages).toEqual(['first', 'second', 'third', 'fourth'])
    expect(oldestFirst.ids.size).toBe(4)
    const newest = { startFromHead: false, limit: 1, startTime: now - 3_600_000 }
    expect((await search(client, newest)).messages).toEqual(['fourth', 'third', 'second', 'first'])
    expect((await search(client, { logStreamNamePrefix: 'a/' })).messages).toEqual(['first', 'second', 'third'])
    expect((await search(client, { logStreamNames: ['b/1'] })).messages).toEqual(['fourth'])
    expect((await search(client, { startTime: now - 2_000, endTime: now - 1_000 })).messages).toEqual([
      'second',
      'third',
    ])
  })

  test('a log group without tags is described without them', async () => {
    await using cloud = await startCloud()
    const client = await openGroup(cloud)
    const { logGroups } = await client.send(new DescribeLogGroupsCommand({}))
    const resourceArn = logGroups?.[0]?.logGroupArn
    expect(await client.send(new ListTagsForResourceCommand({ resourceArn }))).not.toHaveProperty('tags')
  })

  test('a search can find nothing on a page and still have another', async () => {
    await using cloud = await startCloud()
    const client = await openGroup(cloud, 's')
    const now = Date.now()
    await put(client, 's', [
      [now - 5 * 3_600_000, 'old'],
      [now, 'new'],
    ])
    const found = await search(client)
    expect(found.messages).toEqual(['old', 'new'])
    expect(found.pages).toBeGreaterThan(4)
  })

  const orders = ['GET /cart 200', 'GET /cart 502 ERROR', 'POST /pay 200', 'WARN slow']
  const records = ['{"level":"info","status":200,"path":"/cart/1"}', '{"level":"error","status":502,"path":"/pay"}']
  test.each([
    ['ERROR', [orders[1]]],
    ['?ERROR ?WARN', [orders[1], orders[3]]],
    ['"GET /cart" -ERROR', [orders[0]]],
    ['%/(cart|pay) 200%', [orders[0], orders[2]]],
    ['{ $.level = "error" }', [records[1]]],
    ['{ $.status >= 200 && $.status < 500 }', [records[0]]],
    ['{ $.path = "/cart*" || $.status = 502 }', records],
    ['', [...orders, ...records]],
  ])('the pattern %s matches the expected lines', async (filterPattern, expected) => {
    await using cloud = await startCloud()
    const client = await openGroup(cloud, 's')
    const now = Date.now()
    await put(
      client,
      's',
      [...orders, ...records].map((message, index) => [now - 1_000 + index, message]),
    )
    expect((await search(client, { filterPattern })).messages).toEqual(expected)
  })

  test('a stream is read to its end, which repeats the token, and onwards from there', async () => {
    await using cloud = await startCloud()
    const client = await openGroup(cloud, 's')
    const now = Date.now()
    await put(client, 's', [
      [now - 20, 'one'],
      [now - 10, 'two'],
    ])
    const read = async (nextToken?: string) => {
      const wish = { logGroupName, logStreamName: 's', startFromHead: true, nextToken }
      const { events = [], nextForwardToken } = await client.send(new GetLogEventsCommand(wish))
      return { messages: events.map(({ message }) => message), token: nextForwardToken }
    }
    const first = await read()
    expect(first.messages).toEqual(['one', 'two'])
    expect(await read(first.token)).toEqual({ messages: [], token: first.token })
    await put(client, 's', [[now, 'three']])
    expect((await read(first.token)).messages).toEqual(['three'])
  })

  test('a missing resource is rejected by name', async () => {
    await using cloud = await startCloud()
    const client = await openGroup(cloud)
    const refused = (name: string) => ({ name })
    const nowhere = new FilterLogEventsCommand({ logGroupName: '/nowhere' })
    await expect(client.send(nowhere)).rejects.toMatchObject(refused('ResourceNotFoundException'))
    const again = new CreateLogGroupCommand({ logGroupName })
    await expect(client.send(again)).rejects.toMatchObject(refused('ResourceAlreadyExistsException'))
    await expect(put(client, 'none', [[1, 'x']])).rejects.toMatchObject(refused('ResourceNotFoundException'))
    const broken = search(client, { filterPattern: '{ $.a ~ 1 }' })
    await expect(broken).rejects.toMatchObject(refused('InvalidParameterException'))
  })

  test('the tasks of a service log to a stream per container, which outlives the task', async () => {
    await using cloud = await startCloud()
    const options = { 'awslogs-group': logGroupName, 'awslogs-region': 'eu-west-1', 'awslogs-stream-prefix': 'web' }
    const logConfiguration = { logDriver: 'awslogs' as const, options }
    const containerDefinitions = [{ name: 'app', image: 'web:1', memory: 128, logConfiguration }]
    await cloud.ecs.send(new CreateClusterCommand({ clusterName: 'main' }))
    await cloud.ecs.send(new RegisterTaskDefinitionCommand({ family: 'web', containerDefinitions }))
    const service = { cluster: 'main', serviceName: 'web', taskDefinition: 'web', desiredCount: 2 }
    await cloud.ecs.send(new CreateServiceCommand(service))
    await until(
      cloud,
      () => describeService(cloud),
      ({ runningCount }) => runningCount === 2,
    )
    await cloud.control.advance(60)
    const client = new CloudWatchLogsClient(cloud.settings)
    const { logStreams = [] } = await client.send(new DescribeLogStreamsCommand({ logGroupName }))
    expect(logStreams.map(({ logStreamName }) => logStreamName?.replace(/[0-9a-f]{32}$/, 'TASK'))).toEqual([
      'web/app/TASK',
      'web/app/TASK',
    ])
    const { messages } = await search(client, { logStreamNames: [logStreams[0]?.logStreamName ?? ''] })
    expect(JSON.parse(messages[0] ?? '')).toMatchObject({ level: 'info', msg: 'listening', image: 'web:1' })
    expect(messages.length).toBeGreaterThan(15)
    const { logGroups } = await client.send(new DescribeLogGroupsCommand({ logGroupNamePrefix: '/shop' }))
    expect(logGroups).toMatchObject([{ logGroupName }])
  })
})
