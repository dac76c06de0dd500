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
  test('a message is hidden from others while it is worked on, comes back, and is gone once deleted', async () => {
    await using cloud = await startCloud()
    const { receive, send, remove } = await openQueue(cloud, { VisibilityTimeout: '4' })
    await send('one')
    const [first] = await receive()
    expect(first?.Body).toBe('one')
    expect(await receive()).toEqual([])
    const [again] = await receive({ WaitTimeSeconds: 20 })
    expect(again?.MessageId).toBe(first?.MessageId)
    await remove(first?.ReceiptHandle) // an old handle deletes nothing
    const [third] = await receive({ WaitTimeSeconds: 20 })
    await remove(third?.ReceiptHandle)
    expect(await receive({ WaitTimeSeconds: 2 })).toEqual([])
  })

  test('who waits gets a message as soon as it comes, and only one of those who wait', async () => {
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

  test('batches of up to ten, in and out', async () => {
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

  test('messages outlive the process', async () => {
    await using cloud = await startCloud()
    const { receive, send } = await openQueue(cloud)
    await send('one')
    await cloud.killAndRestart()
    expect((await receive()).map(({ Body }) => Body)).toEqual(['one'])
  })

  test('what is not there is refused by name', async () => {
    await using cloud = await startCloud()
    const { client, QueueUrl, send } = await openQueue(cloud)
    const nobody = new GetQueueUrlCommand({ QueueName: 'nobody' })
    await expect(client.send(nobody)).rejects.toMatchObject({ name: 'QueueDoesNotExist' })
    const stranger = new SendMessageCommand({ QueueUrl: QueueUrl.replace(account, '999999999999'), MessageBody: 'x' })
    await expect(client.send(stranger)).rejects.toMatchObject({ name: 'QueueDoesNotExist' })
    await expect(send('')).rejects.toMatchObject({ name: 'MissingRequiredParameterException' })
  })
})
