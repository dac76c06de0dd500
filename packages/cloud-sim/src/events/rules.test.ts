import {
  EventBridgeClient,
  ListTargetsByRuleCommand,
  PutEventsCommand,
  PutRuleCommand,
  PutTargetsCommand,
} from '@aws-sdk/client-eventbridge'
import { CreateQueueCommand, ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs'
import { describe, expect, test } from 'vitest'
import { everyCase } from '../../../../testing/every-case.ts'
import { account, createRestingService, deploy, startCloud, type TestCloud } from '../testing/cloud.ts'
import { compilePattern } from './pattern.ts'

const queueArn = `arn:aws:sqs:eu-west-1:${account}:events`

/** Creates a queue for matching events and returns a function that reads it. */
async function listen(cloud: TestCloud, pattern: object) {
  const sqs = new SQSClient(cloud.settings)
  const { QueueUrl } = await sqs.send(new CreateQueueCommand({ QueueName: 'events' }))
  const events = new EventBridgeClient(cloud.settings)
  await events.send(new PutRuleCommand({ Name: 'deployments', EventPattern: JSON.stringify(pattern) }))
  const target = { Rule: 'deployments', Targets: [{ Id: 'queue', Arn: queueArn }] }
  expect(await events.send(new PutTargetsCommand(target))).toMatchObject({ FailedEntryCount: 0 })
  const received = async (): Promise<Record<string, unknown>[]> => {
    const { Messages = [] } = await sqs.send(new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10 }))
    return Messages.map(({ Body = '' }) => JSON.parse(Body) as Record<string, unknown>)
  }
  return { events, received }
}

describe.concurrent('a rule', () => {
  test('sends matching events of services to its queue, and no others', async () => {
    await using cloud = await startCloud()
    await createRestingService(cloud)
    const { received } = await listen(cloud, {
      source: ['aws.ecs'],
      'detail-type': ['ECS Deployment State Change'],
    })
    const { number } = await deploy(cloud, 'web:2')
    await cloud.control.advance(300)
    const events = await received()
    expect(events.map((event) => event.detail)).toMatchObject([
      { eventName: 'SERVICE_DEPLOYMENT_IN_PROGRESS', deploymentId: `ecs-svc/${number}` },
      { eventName: 'SERVICE_DEPLOYMENT_COMPLETED', deploymentId: `ecs-svc/${number}` },
    ])
    expect(new Set(events.map(({ account }) => account))).toEqual(new Set([account]))
  })

  test('sends custom events and lists its targets', async () => {
    await using cloud = await startCloud()
    const { events, received } = await listen(cloud, { source: ['shop'] })
    const entry = { Source: 'shop', DetailType: 'Order placed', Detail: '{"order":7}' }
    await events.send(new PutEventsCommand({ Entries: [entry, { ...entry, Source: 'others' }] }))
    expect(await received()).toMatchObject([{ source: 'shop', 'detail-type': 'Order placed', detail: { order: 7 } }])
    const { Targets } = await events.send(new ListTargetsByRuleCommand({ Rule: 'deployments' }))
    expect(Targets).toEqual([{ Id: 'queue', Arn: queueArn }])
  })

  test('rejects an invalid pattern', async () => {
    await using cloud = await startCloud()
    const events = new EventBridgeClient(cloud.settings)
    const rule = new PutRuleCommand({ Name: 'r', EventPattern: '{"source":"aws.ecs"}' })
    await expect(events.send(rule)).rejects.toMatchObject({ name: 'InvalidEventPatternException' })
  })
})

describe('an event pattern', () => {
  const event = { source: 'aws.ecs', resources: ['a', 'b'], detail: { name: 'web-1', count: 3 } }
  test(
    'matches as documented',
    everyCase(
      [
        [{ source: ['aws.ecs', 'aws.ssm'] }, true],
        [{ source: ['aws.ssm'] }, false],
        [{ resources: ['b'] }, true],
        [{ detail: { name: [{ prefix: 'web' }], count: [3] } }, true],
        [{ detail: { name: [{ suffix: '-2' }] } }, false],
        [{ detail: { other: [{ exists: false }] } }, true],
        [{ source: [{ 'anything-but': ['aws.ecs'] }] }, false],
      ],
      (pattern, expected) => {
        expect(compilePattern(JSON.stringify(pattern))(event)).toBe(expected)
      },
    ),
  )
})
