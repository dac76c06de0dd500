import {
  CreateQueueCommand,
  DeleteMessageBatchCommand,
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  GetQueueUrlCommand,
  ReceiveMessageCommand,
  type ReceiveMessageRequest,
  SendMessageBatchCommand,
  SendMessageCommand,
  SetQueueAttributesCommand,
  SQSClient,
} from '@aws-sdk/client-sqs'
import { describe, expect, test } from 'vitest'
import { untilPasses } from '../../../../testing/until-passes.ts'
import { account, startCloud, type TestCloud } from '../testing/cloud.ts'

async function openQueue(cloud: TestCloud, Attributes = {}) {
  const client = new SQSClient(cloud.settings)
  const { QueueUrl = '' } = await client.send(new CreateQueueCommand({ QueueName: 'events', Attributes }))
  const receive = async (wish: Omit<ReceiveMessageRequest, 'QueueUrl'> = {}) => {
    const { Messages = [] } = await client.send(
      new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10, ...wish }),
    )
    return Messages
  }
  const send = (MessageBody: string) => client.send(new SendMessageCommand({ QueueUrl, MessageBody }))
  const remove = (ReceiptHandle = '') => client.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }))
  return { client, QueueUrl, receive, send, remove }
}

describe.concurrent('queues', () => {
  test('a received message is hidden, becomes visible again, and is gone once deleted', async () => {
    await using cloud = await startCloud()
    const { receive, send, remove } = await openQueue(cloud, { VisibilityTimeout: '4' })
    await send('one')
    const [first] = await receive()
    expect(first?.Body).toBe('one')
    expect(await receive()).toEqual([])
    const [again] = await receive({ WaitTimeSeconds: 20 })
    expect(again?.MessageId).toBe(first?.MessageId)
    await remove(first?.ReceiptHandle) // an outdated handle deletes nothing
    const [third] = await receive({ WaitTimeSeconds: 20 })
    await remove(third?.ReceiptHandle)
    expect(await receive({ WaitTimeSeconds: 2 })).toEqual([])
  })

  test('a waiting receiver gets a message as soon as it arrives, and only one of several does', async () => {
    await using cloud = await startCloud()
    const { receive, send } = await openQueue(cloud)
    const waiting = [receive({ WaitTimeSeconds: 20 }), receive({ WaitTimeSeconds: 20 })]
    const calls = () => cloud.control.calls({ operation: 'ReceiveMessage' })
    await untilPasses(async () => expect(await calls()).toHaveLength(2))
    await send('one')
    const got = await Promise.race(waiting)
    expect(got.map(({ Body }) => Body)).toEqual(['one'])
    await send('two')
    const bodies = (await Promise.all(waiting)).flatMap((messages) => messages.map(({ Body }) => Body))
    expect(bodies.toSorted()).toEqual(['one', 'two'])
  })

  test('messages are sent and received in batches of up to ten', async () => {
    await using cloud = await startCloud()
    const { client, QueueUrl, receive } = await openQueue(cloud)
    const Entries = Array.from({ length: 10 }, (_, index) => ({ Id: `m${index}`, MessageBody: `body ${index}` }))
    await client.send(new SendMessageBatchCommand({ QueueUrl, Entries }))
    const messages = await receive()
    expect(messages.map(({ Body }) => Body)).toEqual(Entries.map(({ MessageBody }) => MessageBody))
    const gone = messages.map(({ MessageId, ReceiptHandle }) => ({ Id: MessageId, ReceiptHandle }))
    await client.send(new DeleteMessageBatchCommand({ QueueUrl, Entries: gone }))
    const { Attributes } = await client.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['All'] }))
    expect(Attributes).toMatchObject({
      ApproximateNumberOfMessages: '0',
      ApproximateNumberOfMessagesNotVisible: '0',
      QueueArn: `arn:aws:sqs:eu-west-1:${account}:events`,
    })
  })

  test('a partly valid batch is partly executed and reports the other entries', async () => {
    await using cloud = await startCloud()
    const { client, QueueUrl, receive } = await openQueue(cloud, { MaximumMessageSize: '1024' })
    const Entries = [
      { Id: 'good', MessageBody: 'good' },
      { Id: 'late', MessageBody: 'late', DelaySeconds: 901 },
      { Id: 'long', MessageBody: 'x'.repeat(1025) },
    ]
    const { Successful, Failed } = await client.send(new SendMessageBatchCommand({ QueueUrl, Entries }))
    expect([
      Successful?.map(({ Id }) => Id),
      Failed?.map(({ Id, SenderFault, Code }) => [Id, SenderFault, Code]),
    ]).toEqual([
      ['good'],
      [
        ['late', true, 'InvalidParameterValue'],
        ['long', true, 'InvalidParameterValue'],
      ],
    ])
    const [message] = await receive()
    const gone = [
      { Id: 'wrong', ReceiptHandle: 'nonsense' },
      { Id: 'right', ReceiptHandle: message?.ReceiptHandle },
    ]
    const removed = await client.send(new DeleteMessageBatchCommand({ QueueUrl, Entries: gone }))
    expect(removed.Successful?.map(({ Id }) => Id)).toEqual(['right'])
    expect(removed.Failed?.map(({ Id, Code }) => [Id, Code])).toEqual([['wrong', 'ReceiptHandleIsInvalid']])
  })

  test('a message has its sender’s attributes for receivers that request them', async () => {
    await using cloud = await startCloud()
    const { client, QueueUrl, receive } = await openQueue(cloud, { VisibilityTimeout: '0' })
    const MessageAttributes = {
      'order.id': { DataType: 'Number', StringValue: '7' },
      'order.proof': { DataType: 'Binary', BinaryValue: new Uint8Array([1, 2]) },
      team: { DataType: 'String', StringValue: 'shop' },
    }
    const sent = await client.send(new SendMessageCommand({ QueueUrl, MessageBody: 'x', MessageAttributes }))
    const [plain] = await receive()
    expect([plain?.Attributes, plain?.MessageAttributes]).toEqual([undefined, undefined])
    const [all] = await receive({ MessageAttributeNames: ['All'], MessageSystemAttributeNames: ['SentTimestamp'] })
    expect(all?.MessageAttributes).toEqual(MessageAttributes)
    expect(all?.MD5OfMessageAttributes).toBe(sent.MD5OfMessageAttributes)
    expect(Object.keys(all?.Attributes ?? {})).toEqual(['SentTimestamp'])
    const [some] = await receive({ MessageAttributeNames: ['order.*'] })
    expect(Object.keys(some?.MessageAttributes ?? {})).toEqual(['order.id', 'order.proof'])
    const wrong = { MessageAttributes: { n: { DataType: 'Number', StringValue: 'seven' } } }
    const refused = client.send(new SendMessageCommand({ QueueUrl, MessageBody: 'x', ...wrong }))
    await expect(refused).rejects.toMatchObject({ name: 'InvalidParameterValue' })
  })

  test('a message’s own delay replaces that of its queue', async () => {
    await using cloud = await startCloud()
    const { client, QueueUrl, receive } = await openQueue(cloud, { DelaySeconds: '900' })
    const send = (MessageBody: string, DelaySeconds?: number) =>
      client.send(new SendMessageCommand({ QueueUrl, MessageBody, DelaySeconds }))
    await send('now', 0)
    await send('later')
    expect((await receive()).map(({ Body }) => Body)).toEqual(['now'])
    const { Attributes } = await client.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['All'] }))
    expect(Attributes).toMatchObject({
      ApproximateNumberOfMessages: '0',
      ApproximateNumberOfMessagesNotVisible: '1',
      ApproximateNumberOfMessagesDelayed: '1',
    })
  })

  test('a message received too often moves to the dead-letter queue, until the policy is removed', async () => {
    await using cloud = await startCloud()
    const { client, QueueUrl, receive, send } = await openQueue(cloud, { VisibilityTimeout: '0' })
    const dead = await client.send(new CreateQueueCommand({ QueueName: 'dead' }))
    const set = (RedrivePolicy: string) =>
      client.send(new SetQueueAttributesCommand({ QueueUrl, Attributes: { RedrivePolicy } }))
    const deadLetterTargetArn = `arn:aws:sqs:eu-west-1:${account}:dead`
    const policy = (more: object) => JSON.stringify({ deadLetterTargetArn, maxReceiveCount: 2, ...more })
    for (const wrong of ['no JSON', policy({ maxReceiveCount: 0 }), policy({ deadLetterTargetArn: 'arn:aws:sqs:x' })]) {
      await expect(set(wrong)).rejects.toMatchObject({ name: 'InvalidParameterValue' })
    }
    await set(policy({}))
    await send('one')
    await receive()
    await receive()
    expect(await receive()).toEqual([])
    const asked = { QueueUrl: dead.QueueUrl, MessageSystemAttributeNames: ['All' as const] }
    const { Messages } = await client.send(new ReceiveMessageCommand(asked))
    expect(Messages).toMatchObject([
      { Body: 'one', Attributes: { DeadLetterQueueSourceArn: `arn:aws:sqs:eu-west-1:${account}:events` } },
    ])
    await set('')
    const { Attributes } = await client.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['All'] }))
    expect(Attributes).not.toHaveProperty('RedrivePolicy')
  })

  test('messages survive a restart', async () => {
    await using cloud = await startCloud()
    const { receive, send } = await openQueue(cloud)
    await send('one')
    await cloud.killAndRestart()
    expect((await receive()).map(({ Body }) => Body)).toEqual(['one'])
  })

  test('a missing resource is rejected by name', async () => {
    await using cloud = await startCloud()
    const { client, QueueUrl, send } = await openQueue(cloud)
    const nobody = new GetQueueUrlCommand({ QueueName: 'nobody' })
    await expect(client.send(nobody)).rejects.toMatchObject({ name: 'QueueDoesNotExist' })
    const stranger = new SendMessageCommand({ QueueUrl: QueueUrl.replace(account, '999999999999'), MessageBody: 'x' })
    await expect(client.send(stranger)).rejects.toMatchObject({ name: 'QueueDoesNotExist' })
    await expect(send('')).rejects.toMatchObject({ name: 'MissingRequiredParameterException' })
  })
})
