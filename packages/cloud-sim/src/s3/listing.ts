import type { Caller } from '../callers.ts'
import type { World } from '../world.ts'
import { invalidArgument, s3Reply } from './answers.ts'
import { findBucket } from './buckets.ts'
import { type StoredObject, s3 } from './state.ts'
import { namesIn, versionsOf } from './versions.ts'

interface Asked {
  Bucket: string
  prefix?: string
  delimiter?: string
  'max-keys'?: string
  'continuation-token'?: string
  'start-after'?: string
  'encoding-type'?: string
}

const maxPageSize = 1000

/** Entry of a page: an object, or a common prefix. */
type Entry = { name: string; object?: StoredObject }

export function listObjectsV2(world: World, caller: Caller, input: Asked) {
  const bucket = findBucket(world, caller, input.Bucket)
  const { prefix = '', delimiter, 'start-after': startAfter = '', 'continuation-token': token } = input
  const size = pageSize(input)
  const after = token === undefined ? startAfter : nameIn(token)
  const entries = entriesOf(s3(world).objects.having('bucket', bucket.key), prefix, delimiter).filter(isAfter(after))
  const page = entries.slice(0, size)
  const isTruncated = entries.length > page.length && size > 0
  const shown = input['encoding-type'] === 'url' ? encodeURIComponent : (text: string) => text
  return s3Reply('ListBucketResult', {
    Name: bucket.key,
    Prefix: shown(prefix),
    Delimiter: delimiter === undefined ? undefined : shown(delimiter),
    StartAfter: startAfter === '' ? undefined : shown(startAfter),
    EncodingType: input['encoding-type'],
    KeyCount: page.length,
    MaxKeys: size,
    IsTruncated: isTruncated,
    ContinuationToken: token,
    NextContinuationToken: isTruncated ? Buffer.from(page.at(-1)?.name ?? '').toString('base64url') : undefined,
    Contents: page.flatMap(({ object }) => (object ? describe(object, shown) : [])),
    CommonPrefixes: page.flatMap(({ name, object }) => (object ? [] : { Prefix: shown(name) })),
  })
}

interface AskedForVersions {
  Bucket: string
  prefix?: string
  'max-keys'?: string
  'key-marker'?: string
  'version-id-marker'?: string
  'encoding-type'?: string
}

/** Lists the versions of each object, newest first, with delete markers. */
export function listObjectVersions(world: World, caller: Caller, input: AskedForVersions) {
  const bucket = findBucket(world, caller, input.Bucket)
  const { prefix = '', 'key-marker': keyMarker = '', 'version-id-marker': idMarker } = input
  if (idMarker !== undefined && keyMarker === '') {
    throw invalidArgument('A version-id marker cannot be specified without a key marker.')
  }
  const size = pageSize(input)
  const names = namesIn(world, bucket.key).filter((name) => name.startsWith(prefix) && compare(name, keyMarker) >= 0)
  const all = names.sort(compare).flatMap((name) => {
    const versions = versionsOf(world, bucket.key, name).map((version) => ({ name, ...version }))
    if (name !== keyMarker) return versions
    // A key marker without version means that the key was listed completely.
    const last = versions.findIndex(({ versionId }) => versionId === idMarker)
    return idMarker === undefined || last < 0 ? [] : versions.slice(last + 1)
  })
  const page = all.slice(0, size)
  const isTruncated = all.length > page.length && size > 0
  const shown = input['encoding-type'] === 'url' ? encodeURIComponent : (text: string) => text
  return s3Reply('ListVersionsResult', {
    Name: bucket.key,
    Prefix: shown(prefix),
    KeyMarker: shown(keyMarker),
    VersionIdMarker: idMarker,
    EncodingType: input['encoding-type'],
    MaxKeys: size,
    IsTruncated: isTruncated,
    NextKeyMarker: isTruncated ? shown(page.at(-1)?.name ?? '') : undefined,
    NextVersionIdMarker: isTruncated ? page.at(-1)?.versionId : undefined,
    Version: page.flatMap(({ object, versionId, isLatest }) =>
      object ? { ...describe(object, shown), VersionId: versionId, IsLatest: isLatest } : [],
    ),
    DeleteMarker: page.flatMap(({ object, name, versionId, isLatest, modifiedAt }) =>
      object ? [] : { Key: shown(name), VersionId: versionId, IsLatest: isLatest, LastModified: new Date(modifiedAt) },
    ),
  })
}

const compare = (one: string, other: string): number => Buffer.compare(Buffer.from(one), Buffer.from(other))

function pageSize({ 'max-keys': asked = `${maxPageSize}` }: { 'max-keys'?: string }): number {
  const size = Number(asked)
  if (!Number.isInteger(size) || size < 0)
    throw invalidArgument('Argument maxKeys must be an integer between 0 and 2147483647')
  return Math.min(size, maxPageSize)
}

const isAfter =
  (after: string) =>
  ({ name }: Entry): boolean =>
    compare(name, after) > 0

/** Decodes a token, which is the last name of the previous page in base64. */
function nameIn(token: string): string {
  const name = Buffer.from(token, 'base64url')
  if (name.length > 0 && name.toString('base64url') === token) return name.toString('utf8')
  throw invalidArgument('The continuation token provided is incorrect')
}

/** Returns objects and common prefixes in the byte order of their names. */
function entriesOf(objects: StoredObject[], prefix: string, delimiter: string | undefined): Entry[] {
  const entries = new Map<string, Entry>()
  for (const object of objects) {
    if (!object.name.startsWith(prefix)) continue
    const cut = delimiter ? object.name.indexOf(delimiter, prefix.length) : -1
    const name = cut < 0 ? object.name : object.name.slice(0, cut + (delimiter ?? '').length)
    entries.set(name, cut < 0 ? { name, object } : { name })
  }
  return [...entries.values()].sort((a, b) => compare(a.name, b.name))
}

const describe = ({ name, etag, size, modifiedAt }: StoredObject, shown: (text: string) => string) => ({
  Key: shown(name),
  LastModified: new Date(modifiedAt),
  ETag: etag,
  Size: size,
  StorageClass: 'STANDARD',
})
