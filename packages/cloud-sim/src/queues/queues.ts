import type {
  CreateQueueRequest,
  DeleteQueueRequest,
  GetQueueAttributesRequest,
  GetQueueUrlRequest,
  ListQueuesRequest,
  ListQueueTagsRequest,
  SetQueueAttributesRequest,
  TagQueueRequest,
  UntagQueueRequest,
} from '@aws-sdk/client-sqs'
import { arnIn, regionAndAccountOf, type Scope } from '../arns.ts'
import type { Caller } from '../callers.ts'
import { CloudError } from '../errors.ts'
import type { HttpRequest } from '../wire/protocol.ts'
import type { World } from '../world.ts'
import { checkAttributes } from './attribute-rules.ts'
import { checkRedrive } from './redrive.ts'
import { type Queue, sqs } from './state.ts'

const usual: Record<string, string> = {
  VisibilityTimeout: '30',
  ReceiveMessageWaitTimeSeconds: '0',
  DelaySeconds: '0',
  MaximumMessageSize: '1048576',
  MessageRetentionPeriod: '345600',
  SqsManagedSseEnabled: 'true',
}

export const arnOf = (scope: Scope, name: string) => arnIn(scope, 'sqs', name)

const doesNotExist = () => new CloudError('QueueDoesNotExist', 'The specified queue does not exist.')

/** Returns a queue's URL, with the host that the caller used. */
const urlOf = ({ scope, name }: Queue, { headers }: HttpRequest): string =>
  `http://${headers.host}/${regionAndAccountOf(scope).account}/${name}`

export function createQueue(world: World, caller: Caller, input: CreateQueueRequest, request: HttpRequest) {
  const { QueueName: name = '', Attributes: attributes = {}, tags = {} } = input
  if (!/^[a-zA-Z0-9_-]{1,80}$/.test(name)) {
    throw new CloudError('InvalidParameterValue', 'Can only include alphanumeric characters, hyphens, or underscores.')
  }
  checkAttributes(attributes)
  checkRedrive(world, caller.scope, attributes)
  const key = arnOf(caller.scope, name)
  const there = sqs(world).queues.get(key)
  if (there) {
    const differs = Object.entries(attributes).some(
      ([attribute, value]) => (there.attributes[attribute] ?? '') !== value,
    )
    if (differs)
      throw new CloudError('QueueNameExists', 'A queue already exists with the same name and a different value.')
    return { QueueUrl: urlOf(there, request) }
  }
  const now = world.clock.timestamp()
  const made = { key, scope: caller.scope, name, tags, createdAt: now, changedAt: now }
  return {
    QueueUrl: urlOf(sqs(world).queues.save({ ...made, attributes: changedAttributes(usual, attributes) }), request),
  }
}

/** Parses a queue's URL, of which only the path counts. */
export function readUrl(url: string | undefined) {
  const [account = '', name = ''] = (URL.parse(url ?? '')?.pathname ?? '').split('/').slice(1)
  return { account, name }
}

/** Returns the queue of a URL in the caller's region and account. */
export function findQueue(world: World, caller: Caller, url: string | undefined): Queue {
  const { account, name } = readUrl(url)
  const queue = account === caller.accountId ? sqs(world).queues.get(arnOf(caller.scope, name)) : undefined
  if (!queue) throw doesNotExist()
  return queue
}

export function getQueueUrl(world: World, caller: Caller, input: GetQueueUrlRequest, request: HttpRequest) {
  const queue = sqs(world).queues.get(arnOf(caller.scope, input.QueueName ?? ''))
  if (!queue || (input.QueueOwnerAWSAccountId ?? caller.accountId) !== caller.accountId) throw doesNotExist()
  return { QueueUrl: urlOf(queue, request) }
}

export function listQueues(world: World, caller: Caller, input: ListQueuesRequest, request: HttpRequest) {
  const found = sqs(world)
    .queues.having('scope', caller.scope)
    .filter(({ name }) => name.startsWith(input.QueueNamePrefix ?? ''))
  return found.length === 0 ? {} : { QueueUrls: found.map((queue) => urlOf(queue, request)) }
}

export function getQueueAttributes(world: World, caller: Caller, input: GetQueueAttributesRequest) {
  const queue = findQueue(world, caller, input.QueueUrl)
  const messages = sqs(world).messages.having('queue', queue.key)
  const hidden = messages.filter(({ visibleAt }) => visibleAt > Date.now())
  const inFlight = hidden.filter(({ receiptHandle }) => receiptHandle !== undefined).length
  const all: Record<string, string> = {
    ...queue.attributes,
    QueueArn: queue.key,
    ApproximateNumberOfMessages: String(messages.length - hidden.length),
    ApproximateNumberOfMessagesNotVisible: String(inFlight),
    ApproximateNumberOfMessagesDelayed: String(hidden.length - inFlight),
    CreatedTimestamp: String(Math.floor(queue.createdAt / 1000)),
    LastModifiedTimestamp: String(Math.floor(queue.changedAt / 1000)),
  }
  const wanted: string[] = input.AttributeNames ?? []
  const shown = Object.entries(all).filter(([name]) => wanted.includes('All') || wanted.includes(name))
  return { Attributes: Object.fromEntries(shown) }
}

export function setQueueAttributes(world: World, caller: Caller, input: SetQueueAttributesRequest) {
  const queue = findQueue(world, caller, input.QueueUrl)
  const { Attributes: changes = {} } = input
  checkAttributes(changes)
  checkRedrive(world, caller.scope, changes)
  const attributes = changedAttributes(queue.attributes, changes)
  sqs(world).queues.save(Object.assign(queue, { attributes, changedAt: world.clock.timestamp() }))
  return {}
}

/** Returns a queue's attributes after a change. An empty value removes an attribute. */
const changedAttributes = (there: Record<string, string>, changes: Record<string, string>): Record<string, string> =>
  Object.fromEntries(
    Object.entries({ ...there, ...changes }).flatMap(([name, value]) => {
      const set = value === '' ? usual[name] : value
      return set === undefined ? [] : [[name, set]]
    }),
  )

export function listQueueTags(world: World, caller: Caller, input: ListQueueTagsRequest) {
  return { Tags: findQueue(world, caller, input.QueueUrl).tags }
}

export function tagQueue(world: World, caller: Caller, input: TagQueueRequest) {
  const queue = findQueue(world, caller, input.QueueUrl)
  sqs(world).queues.save(Object.assign(queue, { tags: { ...queue.tags, ...input.Tags } }))
  return {}
}

export function untagQueue(world: World, caller: Caller, input: UntagQueueRequest) {
  const queue = findQueue(world, caller, input.QueueUrl)
  const left = Object.entries(queue.tags).filter(([key]) => !input.TagKeys?.includes(key))
  sqs(world).queues.save(Object.assign(queue, { tags: Object.fromEntries(left) }))
  return {}
}

export function deleteQueue(world: World, caller: Caller, input: DeleteQueueRequest) {
  const queue = findQueue(world, caller, input.QueueUrl)
  for (const message of sqs(world).messages.having('queue', queue.key)) sqs(world).messages.remove(message)
  sqs(world).queues.remove(queue)
  return {}
}
