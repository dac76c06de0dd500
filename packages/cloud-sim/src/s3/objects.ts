import { createHash } from 'node:crypto'
import type { Caller } from '../callers.ts'
import { CloudError } from '../errors.ts'
import { type HttpRequest, Reply } from '../wire/protocol.ts'
import { xmlReply } from '../wire/rest-xml.ts'
import { children, childText, type Xml } from '../wire/xml.ts'
import type { World } from '../world.ts'
import { aclOfNewObject } from './acls.ts'
import { invalidArgument, noSuchKey, s3Reply } from './answers.ts'
import { type Body, readBody } from './bodies.ts'
import { checkOwner, findBucket } from './buckets.ts'
import { checkCopyConditions, checkIfMatch, checkWriteConditions, isUnmodified } from './conditions.ts'
import { type Bucket, type StoredObject, s3 } from './state.ts'
import { tagsInHeader } from './tag-rules.ts'
import {
  keyOf,
  noVersion,
  preserveCurrent,
  removeCurrent,
  removeVersion,
  versionHeader,
  versionsOf,
} from './versions.ts'

/** Object or object version of a request. */
export type NamedObject = { Bucket: string; Key: string; versionId?: string }

const maxKeyBytes = 1024
const maxDeleted = 1000
const metadataPrefix = 'x-amz-meta-'
/** Maximum size of user-defined metadata, names without prefix plus values. */
const maxMetadataBytes = 2048

export function putObject(world: World, caller: Caller, { Bucket, Key }: NamedObject, request: HttpRequest) {
  const bucket = findBucket(world, caller, Bucket)
  checkKey(Key)
  const about = newObjectMetadata(bucket, request)
  checkWriteConditions(request.headers, s3(world).objects.get(keyOf(bucket.key, Key)))
  const { content, checksum } = readBody(request)
  const object = save(world, { bucket, name: Key, content, ...about, checksum })
  return new Reply(200, { etag: object.etag, ...checksumOf(object), ...versionHeader(bucket, object.versionId) })
}

export function getObject(
  world: World,
  caller: Caller,
  { Bucket, Key, versionId, partNumber }: NamedObject & { partNumber?: string },
  { headers }: HttpRequest,
) {
  if (partNumber !== undefined) {
    throw new CloudError('NotImplemented', 'The simulated cloud does not read parts of objects by their number.', 501)
  }
  const bucket = findBucket(world, caller, Bucket)
  const object = versionAt(world, bucket, Key, versionId)
  if ('marker' in object) return object.marker
  if (isUnmodified(headers, object)) {
    return new Reply(304, { ...describe(object), ...versionHeader(bucket, object.versionId) })
  }
  const asksChecksum = headers['x-amz-checksum-mode'] === 'ENABLED'
  const about = {
    ...describe(object),
    ...versionHeader(bucket, object.versionId),
    ...(asksChecksum && checksumOf(object)),
  }
  const content = Buffer.from(object.content, 'base64')
  const range = rangeIn(headers.range, content.length)
  if (!range) return new Reply(200, about, content)
  const { from, to } = range
  const shown = {
    ...describe(object),
    ...versionHeader(bucket, object.versionId),
    'content-range': `bytes ${from}-${to}/${content.length}`,
  }
  return new Reply(206, shown, content.subarray(from, to + 1))
}

/** Returns the requested byte range, or undefined for the whole object. Multiple ranges are ignored. */
function rangeIn(header: string | undefined, size: number): { from: number; to: number } | undefined {
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/.exec(header ?? '') ?? []
  if (first === '' && last === '') return undefined
  const from = first === '' ? Math.max(size - Number(last), 0) : Number(first)
  const to = first === '' || last === '' ? size - 1 : Math.min(Number(last), size - 1)
  if (from > to) throw new CloudError('InvalidRange', 'The requested range is not satisfiable', 416)
  return { from, to }
}

export function copyObject(world: World, caller: Caller, { Bucket, Key }: NamedObject, request: HttpRequest) {
  const bucket = findBucket(world, caller, Bucket)
  checkKey(Key)
  const { bucket: fromBucket, key: fromKey, versionId: fromVersion } = sourceOf(request)
  checkOwner(caller, request.headers['x-amz-source-expected-bucket-owner'])
  const source = versionAt(world, findBucket(world, caller, fromBucket), fromKey, fromVersion)
  if ('marker' in source)
    throw invalidArgument('The source of a copy request may not specifically refer to a delete marker by version id.')
  checkCopyConditions(request.headers, source)
  checkWriteConditions(request.headers, s3(world).objects.get(keyOf(bucket.key, Key)))
  const isReplaced = request.headers['x-amz-metadata-directive'] === 'REPLACE'
  if (source.key === keyOf(bucket.key, Key) && fromVersion === undefined && !isReplaced) {
    const message =
      "This copy request is illegal because it is trying to copy an object to itself without changing the object's metadata, storage class, website redirect location or encryption attributes."
    throw new CloudError('InvalidRequest', message)
  }
  const { headers, tags, acl } = newObjectMetadata(bucket, request)
  const about = {
    headers: isReplaced ? headers : source.headers,
    tags: request.headers['x-amz-tagging-directive'] === 'REPLACE' ? tags : source.tags,
    acl,
  }
  const content = Buffer.from(source.content, 'base64')
  const copy = save(world, { bucket, name: Key, content, ...about, checksum: source.checksum })
  return s3Reply(
    'CopyObjectResult',
    { ETag: copy.etag, LastModified: new Date(copy.modifiedAt) },
    versionHeader(bucket, copy.versionId),
  )
}

export function checkKey(key: string): void {
  if (Buffer.byteLength(key) > maxKeyBytes) throw new CloudError('KeyTooLongError', 'Your key is too long')
}

/** Parses the copy source, whose key is URL-encoded and can contain a `?`, followed by the version. */
export function sourceOf({ headers }: Pick<HttpRequest, 'headers'>) {
  const [path = '', version] = String(headers['x-amz-copy-source'] ?? '').split('?versionId=')
  const [, bucket, key] = /^\/?([^/]+)\/(.+)$/s.exec(decodePath(path)) ?? []
  if (bucket !== undefined && key !== undefined) return { bucket, key, versionId: version }
  throw invalidArgument('Copy Source must mention the source bucket and key: sourcebucket/sourcekey')
}

function decodePath(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    throw invalidArgument('Invalid copy source encoding.')
  }
}

export function deleteObject(
  world: World,
  caller: Caller,
  { Bucket, Key, versionId }: NamedObject,
  { headers }: HttpRequest,
) {
  const bucket = findBucket(world, caller, Bucket)
  if (isLocked(Key)) throw new CloudError('AccessDenied', 'Access Denied', 403)
  checkIfMatch(headers['if-match'], s3(world).objects.get(keyOf(bucket.key, Key)))
  const { VersionId, DeleteMarker, DeleteMarkerVersionId } = removed(world, bucket, { Key, versionId })
  const id = VersionId ?? DeleteMarkerVersionId
  return new Reply(204, {
    ...(id !== undefined && { 'x-amz-version-id': id }),
    ...(DeleteMarker && { 'x-amz-delete-marker': 'true' }),
  })
}

export function deleteObjects(world: World, caller: Caller, input: { Bucket: string; Delete?: Xml }) {
  const bucket = findBucket(world, caller, input.Bucket)
  const named = children(input.Delete, 'Object')
  const keys = named.map((object) => childText(object, 'Key') ?? '')
  if (keys.length === 0 || keys.length > maxDeleted) {
    throw new CloudError('MalformedXML', `A request deletes from 1 to ${maxDeleted} objects, not ${keys.length}.`)
  }
  const wanted: Named[] = named.map((object) => ({
    Key: childText(object, 'Key') ?? '',
    versionId: childText(object, 'VersionId'),
    etag: childText(object, 'ETag'),
  }))
  const Deleted: Removed[] = []
  const Failed: object[] = []
  for (const one of wanted) {
    try {
      checkRemovable(world, bucket, one)
      Deleted.push(removed(world, bucket, one))
    } catch (error) {
      if (!(error instanceof CloudError)) throw error
      Failed.push({ Key: one.Key, VersionId: one.versionId, Code: error.code, Message: error.message })
    }
  }
  const isQuiet = childText(input.Delete, 'Quiet') === 'true'
  return s3Reply('DeleteResult', { Deleted: isQuiet ? [] : Deleted, Error: Failed })
}

/** Throws if an object in a bulk delete cannot be deleted. The others are deleted, as documented. */
function checkRemovable(world: World, bucket: Bucket, { Key, versionId, etag }: Named): void {
  if (isLocked(Key)) throw new CloudError('AccessDenied', 'Access Denied', 403)
  checkIfMatch(etag, s3(world).objects.get(keyOf(bucket.key, Key)))
  if (versionId === undefined || versionId === noVersion) return
  if (versionsOf(world, bucket.key, Key).some((version) => version.versionId === versionId)) return
  throw new CloudError('NoSuchVersion', 'The specified version does not exist.', 404)
}

type Named = { Key: string; versionId?: string | undefined; etag?: string | undefined }

/** Entry of the response to `DeleteObjects`. */
type Removed = { Key: string; VersionId?: string; DeleteMarker?: true; DeleteMarkerVersionId?: string }

/** Fault injection for manual tests: such keys cannot be deleted, like locked objects. */
const isLocked = (key: string) => key.endsWith('-locked')

/** Deletes an object or a version and returns the response entry. Deleting a missing one succeeds. */
function removed(world: World, bucket: Bucket, { Key, versionId }: Named): Removed {
  if (versionId === undefined) {
    const marker = removeCurrent(world, bucket, Key)
    return { Key, ...(marker && { DeleteMarker: true as const, DeleteMarkerVersionId: marker.markerId }) }
  }
  const version = removeVersion(world, bucket, Key, versionId)
  const marker = version?.isMarker ? { DeleteMarker: true as const, DeleteMarkerVersionId: versionId } : {}
  return { Key, VersionId: versionId, ...marker }
}

/** Returns the object or version of a request. Throws if it is deleted or missing. */
export function objectAt(world: World, bucket: Bucket, { Key, versionId }: Omit<NamedObject, 'Bucket'>): StoredObject {
  const object = versionAt(world, bucket, Key, versionId)
  if (!('marker' in object)) return object
  throw new CloudError('MethodNotAllowed', 'The specified method is not allowed against this resource.', 405)
}

/** Returns an object or version, or the response for a delete marker. */
function versionAt(world: World, bucket: Bucket, name: string, versionId?: string): StoredObject | { marker: Reply } {
  const versions = versionsOf(world, bucket.key, name)
  const version = versionId === undefined ? versions[0] : versions.find((one) => one.versionId === versionId)
  if (version?.object) return version.object
  if (!version && versionId !== undefined) {
    throw new CloudError('NoSuchVersion', 'The specified version does not exist.', 404)
  }
  if (!version) throw noSuchKey()
  const headers = { ...versionHeader(bucket, version.versionId), 'x-amz-delete-marker': 'true' }
  const [Code, Message, status] =
    versionId === undefined
      ? (['NoSuchKey', 'The specified key does not exist.', 404] as const)
      : (['MethodNotAllowed', 'The specified method is not allowed against this resource.', 405] as const)
  const { body, headers: usual } = xmlReply(['Error', ''], { Code, Message, Key: name })
  return { marker: new Reply(status, { ...usual, ...headers }, body) }
}

/** Object to store. By default its ETag derives from its content. */
interface NewObject {
  bucket: Bucket
  name: string
  content: Buffer
  headers: Record<string, string>
  tags?: StoredObject['tags']
  acl?: StoredObject['acl']
  checksum: Body['checksum']
  etag?: string
}

export function save(world: World, { bucket, name, content, checksum, etag, ...about }: NewObject): StoredObject {
  const versionId = preserveCurrent(world, bucket, name)
  return s3(world).objects.save({
    key: keyOf(bucket.key, name),
    bucket: bucket.key,
    name,
    versionId,
    etag: etag ?? etagOf(content),
    content: content.toString('base64'),
    size: content.length,
    modifiedAt: world.clock.timestamp(),
    ...about,
    checksum,
  })
}

export const etagOf = (content: Buffer) => `"${createHash('md5').update(content).digest('hex')}"`

/** Returns the metadata of a new object from a request. */
export const newObjectMetadata = (
  bucket: Bucket,
  request: HttpRequest,
): Pick<StoredObject, 'headers' | 'tags' | 'acl'> => ({
  headers: keptHeaders(request),
  tags: tagsInHeader(request),
  acl: aclOfNewObject(bucket, request),
})

/** Returns the headers that are stored and returned with the object. */
function keptHeaders({ headers }: HttpRequest): Record<string, string> {
  const isKept = (name: string) =>
    ['content-type', 'cache-control', 'content-disposition', 'content-language', 'expires'].includes(name) ||
    name.startsWith(metadataPrefix)
  const kept = Object.entries(headers).flatMap(([name, value]) => (isKept(name) ? [[name, String(value)]] : []))
  const metadata = kept.filter(([name = '']) => name.startsWith(metadataPrefix))
  const metadataBytes = metadata.reduce(
    (sum, [name = '', value = '']) => sum + name.length - metadataPrefix.length + value.length,
    0,
  )
  if (metadataBytes > maxMetadataBytes) {
    throw new CloudError('MetadataTooLarge', 'Your metadata headers exceed the maximum allowed metadata size')
  }
  const encoding = String(headers['content-encoding'] ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '' && part !== 'aws-chunked')
  return {
    'content-type': 'binary/octet-stream',
    ...Object.fromEntries(kept),
    ...(encoding.length > 0 && { 'content-encoding': encoding.join(',') }),
  }
}

const describe = ({ etag, modifiedAt, headers, tags = {} }: StoredObject): Record<string, string> => ({
  ...headers,
  ...(Object.keys(tags).length > 0 && { 'x-amz-tagging-count': String(Object.keys(tags).length) }),
  etag,
  'last-modified': new Date(modifiedAt).toUTCString(),
  'accept-ranges': 'bytes',
})

export const checksumOf = ({ checksum }: Pick<StoredObject, 'checksum'>): Record<string, string> =>
  checksum ? { [checksum.name]: checksum.value } : {}
