import {
  EventBridgeClient,
  ListTagsForResourceCommand,
  PutEventsCommand,
  type PutEventsRequestEntry,
  PutRuleCommand,
  PutTargetsCommand,
  type Target,
} from '@aws-sdk/client-eventbridge'
import { CreateQueueCommand, ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { everyCase } from '../../../../testing/every-case.ts'
import { account, region, startCloud, type TestCloud } from '../testing/cloud.ts'

let cloud: TestCloud
let events: EventBridgeClient
beforeAll(async () => {
  cloud = await startCloud()
  events = new EventBridgeClient(cloud.settings)
})
afterAll(() => cloud[Symbol.asyncDispose]())

const entry = { Source: 'shop', DetailType: 'Order', Detail: '{"id":1,"place":{"city":"Bern"}}' }
const put = (...Entries: PutEventsRequestEntry[]) => events.send(new PutEventsCommand({ Entries }))

test(
  'an invalid event is rejected, and the other events of its request are accepted',
  everyCase<[string, PutEventsRequestEntry, string]>(
    [
      ['no source', { ...entry, Source: '' }, 'InvalidArgument'],
      ['no type', { ...entry, DetailType: undefined }, 'InvalidArgument'],
      ['a source of the cloud', { ...entry, Source: 'aws.ecs' }, 'NotAuthorizedForSourceException'],
      ['a detail that is no object', { ...entry, Detail: '[1]' }, 'MalformedDetail'],
    ],
    async (_, bad, ErrorCode) => {
      const { FailedEntryCount, Entries } = await put(bad, entry)
      expect({ FailedEntryCount, Entries }).toMatchObject({
        FailedEntryCount: 1,
        Entries: [{ ErrorCode }, { EventId: expect.any(String) }],
      })
    },
  ),
)

test('more than a megabyte of events is rejected as a whole', async () => {
  const long = { ...entry, Detail: JSON.stringify({ text: 'x'.repeat(600_000) }) }
  await expect(put(long, long)).rejects.toMatchObject({ name: 'ValidationException' })
})

test('a rule has up to five targets with unique ids, and tags; a target can receive a part of the event', async () => {
  const Tags = [{ Key: 'team', Value: 'web' }]
  const rule = new PutRuleCommand({ Name: 'orders', EventPattern: '{"source":["shop"]}', Tags })
  const { RuleArn } = await events.send(rule)
  expect((await events.send(new ListTagsForResourceCommand({ ResourceARN: RuleArn }))).Tags).toEqual(Tags)
  const sqs = new SQSClient(cloud.settings)
  const { QueueUrl } = await sqs.send(new CreateQueueCommand({ QueueName: 'orders' }))
  const target = (Id: string, more: Partial<Target> = {}) => ({
    Id,
    Arn: `arn:aws:sqs:${region}:${account}:orders`,
    ...more,
  })
  const aim = (...Targets: Target[]) => events.send(new PutTargetsCommand({ Rule: 'orders', Targets }))
  await expect(aim(target('a'), target('a'))).rejects.toMatchObject({ name: 'ValidationException' })
  await expect(aim(target('a', { Input: '{}', InputPath: '$' }))).rejects.toMatchObject({ name: 'ValidationException' })
  const six = ['a', 'b', 'c', 'd', 'e', 'f'].map((id) => target(id))
  await expect(aim(...six)).rejects.toMatchObject({ name: 'LimitExceededException' })
  await aim(target('a', { InputPath: '$.detail.place' }))
  await put(entry)
  const { Messages } = await sqs.send(new ReceiveMessageCommand({ QueueUrl, WaitTimeSeconds: 5 }))
  expect(JSON.parse(Messages?.[0]?.Body ?? '')).toEqual({ city: 'Bern' })
})
