import { createHash, randomUUID } from 'node:crypto'
import type {
  ChangeMessageVisibilityRequest,
  DeleteMessageBatchRequest,
  DeleteMessageRequest,
  PurgeQueueRequest,
  ReceiveMessageRequest,
  SendMessageBatchRequestEntry,
} from '@aws-sdk/client-sqs'
import type { Caller } from '../callers.ts'
import { CloudError } from '../errors.ts'
import { urlSafe } from '../ids.ts'
import { PendingResult } from '../operation.ts'
import type { World } from '../world.ts'
import {
  attributesMd5,
  attributesSize,
  checkMessageAttributes,
  type WireAttributes,
  wantedAttributes,
} from './message-attributes.ts'
import { findQueue } from './queues.ts'
import { redrive } from './redrive.ts'
import { type Queue, type QueueMessage, sqs } from './state.ts'

const maxBatchSize = 10
const maxWaitSeconds = 20
const maxDelaySeconds = 900
const maxHiddenSeconds = 43_200
const maxBytes = 1_048_576
const purgeMs = 60_000

const md5 = (text: string) => createHash('md5').update(text).digest('hex')
const invalid = (message: string) => new CloudError('InvalidParameterValue', message)

/** Message that a sender puts into a queue. */
interface NewMessage {
  body: string
  attributes?: WireAttributes | undefined
  /** Delay until it can be received; by default that of the queue. */
  delayMs?: number | undefined
}

export function enqueue(world: World, queue: Queue, { body, attributes, delayMs }: NewMessage): QueueMessage {
  const now = Date.now()
  const visibleAt = now + (delayMs ?? Number(queue.attributes.DelaySeconds) * 1000)
  const message = { key: randomUUID(), queue: queue.key, body, attributes, sentAt: now, visibleAt, receives: 0 }
  sqs(world).messages.save(message)
  sqs(world).bell.emit(queue.key)
  return message
}

type Entry = Omit<SendMessageBatchRequestEntry, 'MessageAttributes'> & { MessageAttributes?: WireAttributes }

export const sendMessage = (world: World, caller: Caller, input: Entry & { QueueUrl?: string }) =>
  send(world, findQueue(world, caller, input.QueueUrl), input)

function send(world: World, queue: Queue, { MessageBody, MessageAttributes, DelaySeconds }: Omit<Entry, 'Id'>) {
  checkDelay(DelaySeconds)
  checkMessageAttributes(MessageAttributes ?? {})
  const body = bodyIn(queue, MessageBody, MessageAttributes)
  const delayMs = DelaySeconds === undefined ? undefined : DelaySeconds * 1000
  const { key } = enqueue(world, queue, { body, attributes: MessageAttributes, delayMs })
  return {
    MessageId: key,
    MD5OfMessageBody: md5(body),
    ...(MessageAttributes && { MD5OfMessageAttributes: attributesMd5(MessageAttributes) }),
  }
}

export function sendMessageBatch(world: World, caller: Caller, input: { QueueUrl?: string; Entries?: Entry[] }) {
  const queue = findQueue(world, caller, input.QueueUrl)
  const entries = entriesOf(input.Entries)
  const bytes = entries.reduce(
    (sum, { MessageBody = '', MessageAttributes }) =>
      sum + Buffer.byteLength(MessageBody) + attributesSize(MessageAttributes),
    0,
  )
  if (bytes > maxBytes) {
    const message = `Batch requests cannot be longer than ${maxBytes} bytes. You have sent ${bytes} bytes.`
    throw new CloudError('BatchRequestTooLong', message)
  }
  return eachEntry(entries, (entry) => send(world, queue, entry))
}

/** Processes each entry of a batch. Failed entries are listed and do not affect the others. */
function eachEntry<T extends { Id?: string | undefined }>(entries: T[], work: (entry: T) => object) {
  const Successful: object[] = []
  const Failed: object[] = []
  for (const entry of entries) {
    const { Id } = entry
    try {
      Successful.push({ Id, ...work(entry) })
    } catch (error) {
      if (!(error instanceof CloudError)) throw error
      Failed.push({ Id, SenderFault: true, Code: error.code, Message: error.message })
    }
  }
  return { Successful, Failed }
}

function checkDelay(seconds: number | undefined): void {
  if (seconds === undefined || (seconds >= 0 && seconds <= maxDelaySeconds)) return
  const message = `Value ${seconds} for parameter DelaySeconds is invalid. Reason: DelaySeconds must be >= 0 and <= ${maxDelaySeconds}.`
  throw invalid(message)
}

function bodyIn({ attributes }: Queue, body: string | undefined, messageAttributes?: WireAttributes): string {
  if (!body)
    throw new CloudError('MissingRequiredParameterException', 'The request must contain the parameter MessageBody.')
  const most = Number(attributes.MaximumMessageSize)
  if (Buffer.byteLength(body) + attributesSize(messageAttributes) > most) {
    throw invalid(`One or more parameters are invalid. Reason: Message must be shorter than ${most} bytes.`)
  }
  if (!/^[\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]*$/u.test(body)) {
    throw new CloudError('InvalidMessageContents', 'The message contains characters outside the allowed set.')
  }
  return body
}

function entriesOf<T extends { Id?: string | undefined }>(entries: T[] | undefined): T[] {
  if (!entries?.length) throw new CloudError('EmptyBatchRequest', 'There should be at least one entry in the request.')
  if (entries.length > maxBatchSize) {
    throw new CloudError('TooManyEntriesInBatchRequest', `Maximum number of entries per request are ${maxBatchSize}.`)
  }
  const ids = new Set<string>()
  for (const { Id = '' } of entries) {
    if (!/^[\w-]{1,80}$/.test(Id)) {
      const rule =
        'A batch entry id can only contain alphanumeric characters, hyphens and underscores. It can be at most 80 letters long.'
      throw new CloudError('InvalidBatchEntryId', rule)
    }
    if (ids.has(Id)) throw new CloudError('BatchEntryIdsNotDistinct', `Id ${Id} repeated.`)
    ids.add(Id)
  }
  return entries
}

/** Returns available messages, or waits as long as the request or queue specifies. */
export function receiveMessage(world: World, caller: Caller, input: ReceiveMessageRequest): object {
  const queue = findQueue(world, caller, input.QueueUrl)
  const { MaxNumberOfMessages: most = 1 } = input
  const waitSeconds = input.WaitTimeSeconds ?? Number(queue.attributes.ReceiveMessageWaitTimeSeconds)
  const hiddenSeconds = input.VisibilityTimeout ?? Number(queue.attributes.VisibilityTimeout)
  if (!(most >= 1 && most <= maxBatchSize))
    throw invalid('Value for parameter MaxNumberOfMessages must be between 1 and 10.')
  if (!(waitSeconds >= 0 && waitSeconds <= maxWaitSeconds)) {
    throw invalid('Value for parameter WaitTimeSeconds must be between 0 and 20.')
  }
  checkHidden(hiddenSeconds)
  const until = Date.now() + waitSeconds * 1000
  const attempt = (): object => {
    redrive(world, queue, Date.now())
    const messages = receiveVisible(world, queue, most, hiddenSeconds * 1000).map((message) => shown(message, input))
    if (messages.length > 0) return { Messages: messages }
    if (Date.now() >= until) return {}
    return new PendingResult(untilSome(world, queue, until), attempt)
  }
  return attempt()
}

function checkHidden(seconds: number): void {
  if (seconds >= 0 && seconds <= maxHiddenSeconds) return
  const message = `Value ${seconds} for parameter VisibilityTimeout is invalid. Reason: Must be between 0 and ${maxHiddenSeconds}, if provided.`
  throw invalid(message)
}

function receiveVisible(world: World, queue: Queue, most: number, hiddenMs: number): QueueMessage[] {
  const now = Date.now()
  return sqs(world)
    .messages.having('queue', queue.key)
    .filter(({ visibleAt }) => visibleAt <= now)
    .slice(0, most)
    .map((message) => {
      message.receives += 1
      message.firstReceivedAt ??= now
      message.receiptHandle = `${message.key}#${urlSafe(24)}`
      message.visibleAt = now + hiddenMs
      return sqs(world).messages.save(message)
    })
}

function shown(message: QueueMessage, wish: ReceiveMessageRequest) {
  const { key, body, receiptHandle, attributes = {} } = message
  const names = [...(wish.AttributeNames ?? []), ...(wish.MessageSystemAttributeNames ?? [])].map(String)
  const system = Object.entries(systemAttributes(message)).filter(
    ([name, value]) => value !== undefined && (names.includes('All') || names.includes(name)),
  )
  const own = wantedAttributes(attributes, wish.MessageAttributeNames ?? [])
  return {
    MessageId: key,
    ReceiptHandle: receiptHandle,
    Body: body,
    MD5OfBody: md5(body),
    ...(system.length > 0 && { Attributes: Object.fromEntries(system) }),
    ...(Object.keys(own).length > 0 && { MessageAttributes: own, MD5OfMessageAttributes: attributesMd5(own) }),
  }
}

const systemAttributes = ({ sentAt, receives, firstReceivedAt, deadLetterSource }: QueueMessage) => ({
  SentTimestamp: String(sentAt),
  ApproximateReceiveCount: String(receives),
  ApproximateFirstReceiveTimestamp: String(firstReceivedAt),
  DeadLetterQueueSourceArn: deadLetterSource,
})

/** Resolves when a message arrives or becomes visible again, or at `until`. */
function untilSome(world: World, queue: Queue, until: number): Promise<void> {
  const back = sqs(world)
    .messages.having('queue', queue.key)
    .map(({ visibleAt }) => visibleAt)
  const ms = Math.max(0, Math.min(until, ...back) - Date.now())
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer)
      sqs(world).bell.off(queue.key, done)
      resolve()
    }
    const timer = setTimeout(done, ms).unref()
    sqs(world).bell.on(queue.key, done)
  })
}

export function deleteMessage(world: World, caller: Caller, input: DeleteMessageRequest) {
  remove(world, findQueue(world, caller, input.QueueUrl), input.ReceiptHandle)
  return {}
}

export function deleteMessageBatch(world: World, caller: Caller, input: DeleteMessageBatchRequest) {
  const queue = findQueue(world, caller, input.QueueUrl)
  const entries = entriesOf(input.Entries)
  return eachEntry(entries, ({ ReceiptHandle }) => {
    remove(world, queue, ReceiptHandle)
    return {}
  })
}

/** Deletes a message. As in SQS, an outdated receipt handle silently deletes nothing. */
function remove(world: World, queue: Queue, handle: string | undefined): void {
  const message = messageOf(world, queue, handle)
  if (message && message.receiptHandle === handle) sqs(world).messages.remove(message)
}

function messageOf(world: World, queue: Queue, handle = ''): QueueMessage | undefined {
  const [id = '', rest] = handle.split('#')
  if (!rest) throw new CloudError('ReceiptHandleIsInvalid', `The input receipt handle "${handle}" is not valid.`, 404)
  const message = sqs(world).messages.get(id)
  return message?.queue === queue.key ? message : undefined
}

export function changeMessageVisibility(world: World, caller: Caller, input: ChangeMessageVisibilityRequest) {
  const queue = findQueue(world, caller, input.QueueUrl)
  checkHidden(input.VisibilityTimeout ?? 0)
  const message = messageOf(world, queue, input.ReceiptHandle)
  if (!message) throw new CloudError('MessageNotInflight', 'The message is not in flight.')
  sqs(world).messages.save(Object.assign(message, { visibleAt: Date.now() + (input.VisibilityTimeout ?? 0) * 1000 }))
  sqs(world).bell.emit(queue.key)
  return {}
}

export function purgeQueue(world: World, caller: Caller, input: PurgeQueueRequest) {
  const queue = findQueue(world, caller, input.QueueUrl)
  if (queue.purgedAt !== undefined && Date.now() - queue.purgedAt < purgeMs) {
    const message = `Only one PurgeQueue operation on ${queue.name} is allowed every 60 seconds.`
    throw new CloudError('PurgeQueueInProgress', message, 403)
  }
  for (const message of sqs(world).messages.having('queue', queue.key)) sqs(world).messages.remove(message)
  sqs(world).queues.save(Object.assign(queue, { purgedAt: Date.now() }))
  return {}
}
