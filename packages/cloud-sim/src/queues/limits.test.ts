import {
  CreateQueueCommand,
  PurgeQueueCommand,
  SendMessageBatchCommand,
  SendMessageCommand,
  SetQueueAttributesCommand,
  SQSClient,
} from '@aws-sdk/client-sqs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { everyCase } from '../../../../testing/every-case.ts'
import { startCloud, type TestCloud } from '../testing/cloud.ts'

let cloud: TestCloud
let sqs: SQSClient
let QueueUrl: string
beforeAll(async () => {
  cloud = await startCloud()
  sqs = new SQSClient(cloud.settings)
  QueueUrl = (await sqs.send(new CreateQueueCommand({ QueueName: 'limits' }))).QueueUrl ?? ''
})
afterAll(async () => {
  sqs.destroy()
  await cloud[Symbol.asyncDispose]()
})

const batch = (...Entries: { Id: string; MessageBody: string; DelaySeconds?: number }[]) =>
  sqs.send(new SendMessageBatchCommand({ QueueUrl, Entries }))
const set = (Attributes: Record<string, string>) => sqs.send(new SetQueueAttributesCommand({ QueueUrl, Attributes }))
const half = 'x'.repeat(600_000)

test(
  'the queue rejects an invalid request',
  everyCase<[string, () => Promise<unknown>, string]>(
    [
      [
        'a message too long',
        () => sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: half + half })),
        'InvalidParameterValue',
      ],
      [
        'a character that XML has not',
        () => sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: '\u0001' })),
        'InvalidMessageContents',
      ],
      [
        'a long delay',
        () => sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: 'x', DelaySeconds: 901 })),
        'InvalidParameterValue',
      ],
      [
        'an id twice',
        () => batch({ Id: 'a', MessageBody: 'x' }, { Id: 'a', MessageBody: 'x' }),
        'BatchEntryIdsNotDistinct',
      ],
      ['an id with a blank', () => batch({ Id: 'a b', MessageBody: 'x' }), 'InvalidBatchEntryId'],
      [
        'a batch too long',
        () => batch({ Id: 'a', MessageBody: half }, { Id: 'b', MessageBody: half }),
        'BatchRequestTooLong',
      ],
      ['a value out of range', () => set({ VisibilityTimeout: '43201' }), 'InvalidAttributeValue'],
    ],
    async (_, ask, name) => {
      await expect(ask()).rejects.toMatchObject({ name })
    },
  ),
)

test('a queue can be purged once a minute', async () => {
  const purge = () => sqs.send(new PurgeQueueCommand({ QueueUrl }))
  await purge()
  await expect(purge()).rejects.toMatchObject({ name: 'PurgeQueueInProgress' })
})
