import { randomUUID } from 'node:crypto'
import { partitionOf } from '../arns.ts'
import type { Caller } from '../callers.ts'
import { CloudError } from '../errors.ts'
import { cdnId } from '../ids.ts'
import { type HttpRequest, Reply } from '../wire/protocol.ts'
import { childText, type Xml } from '../wire/xml.ts'
import type { World } from '../world.ts'
import { cdnReply, checkIfMatch, invalidArgument } from './answers.ts'
import { cloudFront, type KeyValueStore } from './state.ts'

type Named = { Name: string }

export function createKeyValueStore(
  world: World,
  caller: Caller,
  { CreateKeyValueStoreRequest: input }: { CreateKeyValueStoreRequest?: Xml },
) {
  const name = childText(input, 'Name') ?? ''
  if (!/^[a-zA-Z0-9-_]{1,64}$/.test(name)) throw invalidArgument(`The name '${name}' is not valid.`)
  if (ownStores(world, caller).some((store) => store.name === name)) {
    throw new CloudError('EntityAlreadyExists', `A key value store named ${name} exists already.`, 409)
  }
  const id = randomUUID()
  const now = world.clock.timestamp()
  const store: KeyValueStore = {
    key: `arn:${partitionOf(caller.region)}:cloudfront::${caller.accountId}:key-value-store/${id}`,
    account: caller.accountId,
    id,
    name,
    comment: childText(input, 'Comment'),
    etag: cdnId('E'),
    createdAt: now,
    modifiedAt: now,
    readyAt: world.in(world.timing.storeSeconds),
    contentEtag: cdnId('E'),
    contentModifiedAt: now,
    content: {},
  }
  cloudFront(world).keyValueStores.save(store)
  const headers = { etag: store.etag, location: `/2020-05-31/key-value-store/${name}` }
  return cdnReply('KeyValueStore', describe(world, store), { status: 201, headers })
}

export function describeKeyValueStore(world: World, caller: Caller, { Name }: Named) {
  const store = findByName(world, caller, Name)
  return cdnReply('KeyValueStore', describe(world, store), { headers: { etag: store.etag } })
}

export function updateKeyValueStore(
  world: World,
  caller: Caller,
  { Name, UpdateKeyValueStoreRequest: input }: Named & { UpdateKeyValueStoreRequest?: Xml },
  request: HttpRequest,
) {
  const store = findByName(world, caller, Name)
  checkIfMatch(request, store.etag)
  const changes = { comment: childText(input, 'Comment'), etag: cdnId('E'), modifiedAt: world.clock.timestamp() }
  cloudFront(world).keyValueStores.save(Object.assign(store, changes))
  return cdnReply('KeyValueStore', describe(world, store), { headers: { etag: store.etag } })
}

export function deleteKeyValueStore(world: World, caller: Caller, { Name }: Named, request: HttpRequest) {
  const store = findByName(world, caller, Name)
  checkIfMatch(request, store.etag)
  cloudFront(world).keyValueStores.remove(store)
  return new Reply(204)
}

export function listKeyValueStores(world: World, caller: Caller) {
  const stores = ownStores(world, caller)
  return cdnReply('KeyValueStoreList', {
    MaxItems: 100,
    Quantity: stores.length,
    Items: { KeyValueStore: stores.map((store) => describe(world, store)) },
  })
}

const ownStores = (world: World, caller: Caller) => cloudFront(world).keyValueStores.having('account', caller.accountId)

function findByName(world: World, caller: Caller, name: string): KeyValueStore {
  const store = ownStores(world, caller).find((row) => row.name === name)
  if (!store) throw new CloudError('EntityNotFound', `The key value store ${name} was not found.`, 404)
  return store
}

export const statusOf = (world: World, { readyAt }: KeyValueStore) =>
  world.clock.now() >= readyAt ? 'READY' : 'PROVISIONING'

const describe = (world: World, store: KeyValueStore) => ({
  Name: store.name,
  Id: store.id,
  Comment: store.comment,
  ARN: store.key,
  Status: statusOf(world, store),
  LastModifiedTime: new Date(store.modifiedAt),
})
