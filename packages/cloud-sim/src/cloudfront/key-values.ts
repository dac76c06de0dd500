import type { Caller } from '../callers.ts'
import { CloudError } from '../errors.ts'
import { cdnId } from '../ids.ts'
import { operations } from '../operation.ts'
import { seconds } from '../wire/json.ts'
import { type HttpRequest, Reply } from '../wire/protocol.ts'
import { restJson } from '../wire/rest.ts'
import type { World } from '../world.ts'
import { statusOf } from './key-value-stores.ts'
import { cloudFront, type KeyValueStore } from './state.ts'

/** Protocol of the data plane of key value stores, which is a separate service. */
export const keyValueProtocol = restJson()

type InStore = { KvsARN: string }
type WithKey = InStore & { Key: string }
type Changes = { Puts?: { Key: string; Value: string }[]; Deletes?: { Key: string }[] }

const maxChanges = 50
const maxKeyBytes = 512
const maxValueBytes = 1024
const largestStoreBytes = 5 * 1024 * 1024
const maxPageSize = 50

const validation = (message: string) => new CloudError('ValidationException', message)

function describeStore(world: World, caller: Caller, { KvsARN }: InStore) {
  const store = findStore(world, caller, KvsARN)
  return answer(store, {
    ...size(store),
    KvsARN: store.key,
    Created: seconds(store.createdAt),
    LastModified: seconds(store.contentModifiedAt),
    Status: statusOf(world, store),
  })
}

function listKeys(
  world: World,
  caller: Caller,
  { KvsARN, NextToken, MaxResults }: InStore & { NextToken?: string; MaxResults?: string },
) {
  const store = findStore(world, caller, KvsARN)
  const keys = Object.keys(store.content).sort()
  const from = NextToken === undefined ? 0 : keys.indexOf(NextToken) + 1
  if (NextToken !== undefined && from === 0) throw validation('The token is not valid.')
  const page = keys.slice(from, from + Math.min(Number(MaxResults ?? 10), maxPageSize))
  const hasMore = from + page.length < keys.length
  return answer(store, {
    Items: page.map((Key) => ({ Key, Value: store.content[Key] })),
    ...(hasMore && { NextToken: page.at(-1) }),
  })
}

function getKey(world: World, caller: Caller, { KvsARN, Key }: WithKey) {
  const store = findStore(world, caller, KvsARN)
  const Value = store.content[Key]
  if (Value === undefined) throw notFound(`The key ${Key} was not found.`)
  return answer(store, { Key, Value, ...size(store) })
}

const putKey = (world: World, caller: Caller, input: WithKey & { Value: string }, request: HttpRequest) =>
  change(world, caller, input.KvsARN, { Puts: [input] }, request)

function deleteKey(world: World, caller: Caller, input: WithKey, request: HttpRequest) {
  if (!(input.Key in findStore(world, caller, input.KvsARN).content))
    throw notFound(`The key ${input.Key} was not found.`)
  return change(world, caller, input.KvsARN, { Deletes: [input] }, request)
}

const updateKeys = (world: World, caller: Caller, input: InStore & Changes, request: HttpRequest) =>
  change(world, caller, input.KvsARN, input, request)

/** Applies changes to a store, all or none. Requires the current version of its content. */
function change(
  world: World,
  caller: Caller,
  arn: string,
  { Puts = [], Deletes = [] }: Changes,
  { headers }: HttpRequest,
): Reply {
  const store = findStore(world, caller, arn)
  const ifMatch = headers['if-match']
  if (ifMatch === undefined) throw validation('The If-Match header is required.')
  if (statusOf(world, store) !== 'READY') throw conflict('The key value store is being provisioned.')
  if (ifMatch !== store.contentEtag) throw conflict('The If-Match version does not match that of the key value store.')
  const count = Puts.length + Deletes.length
  if (count === 0 || count > maxChanges)
    throw validation(`A request changes from 1 to ${maxChanges} keys, not ${count}.`)
  for (const { Key, Value } of Puts) checkSize(Key, Value)
  const content = { ...store.content }
  for (const { Key } of Deletes) delete content[Key]
  for (const { Key, Value } of Puts) content[Key] = Value
  if (bytesOf(content) > largestStoreBytes) {
    throw new CloudError('ServiceQuotaExceededException', 'The key value store is full.', 402)
  }
  const changes = { content, contentEtag: cdnId('E'), contentModifiedAt: world.clock.timestamp() }
  cloudFront(world).keyValueStores.save(Object.assign(store, changes))
  return answer(store, size(store))
}

function checkSize(key: string, value: unknown): void {
  if (typeof value !== 'string' || value === '') throw validation('The value is required.')
  if (Buffer.byteLength(key) > maxKeyBytes) throw validation(`A key has at most ${maxKeyBytes} bytes.`)
  if (Buffer.byteLength(value) > maxValueBytes) throw validation(`A value has at most ${maxValueBytes} bytes.`)
}

const bytesOf = (content: Record<string, string>): number =>
  Object.entries(content).reduce((sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(value), 0)

const size = ({ content }: KeyValueStore) => ({
  ItemCount: Object.keys(content).length,
  TotalSizeInBytes: bytesOf(content),
})

function findStore(world: World, caller: Caller, arn: string): KeyValueStore {
  const store = cloudFront(world).keyValueStores.get(arn)
  if (store?.account !== caller.accountId) throw notFound(`The key value store ${arn} was not found.`)
  return store
}

const notFound = (message: string) => new CloudError('ResourceNotFoundException', message, 404)
const conflict = (message: string) => new CloudError('ConflictException', message, 409)

const answer = ({ contentEtag }: KeyValueStore, value: object): Reply =>
  new Reply(200, { 'content-type': 'application/json', etag: contentEtag }, JSON.stringify(value))

export const keyValueOperations = operations({
  DeleteKey: deleteKey,
  DescribeKeyValueStore: describeStore,
  GetKey: getKey,
  ListKeys: listKeys,
  PutKey: putKey,
  UpdateKeys: updateKeys,
})
