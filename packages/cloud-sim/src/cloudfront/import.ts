import { nameOf, regionAndAccountOf, scopeOfArn } from '../arns.ts'
import { cdnId } from '../ids.ts'
import { type ImportedBucket, importBucket } from '../s3/import.ts'
import type { World } from '../world.ts'
import { cloudFront } from './state.ts'

/** Static site: directories of a bucket, the distributions that serve it, and the store that selects a directory. */
export interface ImportedSite {
  bucket: ImportedBucket
  distributions: readonly { id: string; arn: string; domainName: string; compresses: boolean }[]
  keyValueStore: { arn: string; content: Record<string, string> }
}

/** Creates a site under its names. */
export function importSite(world: World, { bucket, distributions, keyValueStore }: ImportedSite): void {
  importBucket(world, bucket)
  const now = world.clock.timestamp()
  for (const { id: key, arn, domainName, compresses } of distributions) {
    const config = { DefaultCacheBehavior: { Compress: String(compresses) } }
    const about = { account: accountOf(arn), etag: cdnId('E'), modifiedAt: now, deployedAt: world.in(0), tags: {} }
    cloudFront(world).distributions.save({ key, arn, domainName, config, ...about })
  }
  const { arn: key, content } = keyValueStore
  const about = { account: accountOf(key), id: nameOf(key), name: nameOf(key), etag: cdnId('E'), readyAt: world.in(0) }
  const times = { createdAt: now, modifiedAt: now, contentModifiedAt: now }
  cloudFront(world).keyValueStores.save({ key, ...about, ...times, content, contentEtag: cdnId('E') })
}

/** Sets a key of a store, or removes it if `value` is undefined, as someone else would. */
export function setKeyExternally(world: World, storeArn: string, key: string, value: string | undefined): void {
  const store = cloudFront(world).keyValueStores.get(storeArn)
  if (!store) throw new Error(`There is no key value store ${storeArn}.`)
  const { [key]: _, ...others } = store.content
  const content = value === undefined ? others : { ...others, [key]: value }
  const changes = { content, contentEtag: cdnId('E'), contentModifiedAt: world.clock.timestamp() }
  cloudFront(world).keyValueStores.save(Object.assign(store, changes))
}

/** Returns the keys of a store with their values; empty if there is no such store. */
export const keysOfStore = (world: World, storeArn: string): Record<string, string> =>
  cloudFront(world).keyValueStores.get(storeArn)?.content ?? {}

const accountOf = (arn: string): string => regionAndAccountOf(scopeOfArn(arn)).account
