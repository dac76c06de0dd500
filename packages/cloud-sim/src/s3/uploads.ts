import type { Caller } from '../callers.ts'
import { CloudError } from '../errors.ts'
import { urlSafe } from '../ids.ts'
import { type HttpRequest, Reply } from '../wire/protocol.ts'
import type { World } from '../world.ts'
import { invalidArgument, s3Reply } from './answers.ts'
import { readBody } from './bodies.ts'
import { findBucket } from './buckets.ts'
import { checkKey, checksumOf, etagOf, newObjectMetadata } from './objects.ts'
import { type Part, s3, type Upload } from './state.ts'

export type InUpload = { Bucket: string; Key: string; uploadId: string }

const maxParts = 10_000
const maxPageSize = 1000

export function createMultipartUpload(
  world: World,
  caller: Caller,
  { Bucket, Key }: Pick<InUpload, 'Bucket' | 'Key'>,
  request: HttpRequest,
) {
  const bucket = findBucket(world, caller, Bucket)
  checkKey(Key)
  const asked = request.headers['x-amz-checksum-algorithm']
  const checked = typeof asked === 'string' && { algorithm: asked, checksumType: checksumTypeOf(asked, request) }
  const { key } = s3(world).uploads.save({
    key: urlSafe(80),
    bucket: bucket.key,
    name: Key,
    startedAt: world.clock.timestamp(),
    ...newObjectMetadata(bucket, request),
    ...checked,
  })
  return s3Reply(
    'InitiateMultipartUploadResult',
    { Bucket, Key, UploadId: key },
    {
      ...(checked && { 'x-amz-checksum-algorithm': checked.algorithm, 'x-amz-checksum-type': checked.checksumType }),
    },
  )
}

/** Returns the checksum type: by default, CRC-64 covers the whole object, and others combine the parts' checksums. */
function checksumTypeOf(algorithm: string, { headers }: HttpRequest): string {
  return String(headers['x-amz-checksum-type'] ?? (algorithm === 'CRC64NVME' ? 'FULL_OBJECT' : 'COMPOSITE'))
}

/** Stores a part, replacing an earlier one with the same number. */
export function uploadPart(
  world: World,
  caller: Caller,
  { partNumber, ...asked }: InUpload & { partNumber: string },
  request: HttpRequest,
) {
  const upload = findUpload(world, caller, asked)
  const number = Number(partNumber)
  if (!(Number.isInteger(number) && number >= 1 && number <= maxParts)) {
    throw invalidArgument(`Part number must be an integer between 1 and ${maxParts}, inclusive`)
  }
  const { content, checksum } = readBody(request)
  const part = s3(world).parts.save({
    key: `${upload.key} ${number}`,
    upload: upload.key,
    number,
    etag: etagOf(content),
    content: content.toString('base64'),
    size: content.length,
    modifiedAt: world.clock.timestamp(),
    checksum,
  })
  return new Reply(200, { etag: part.etag, ...checksumOf(part) })
}

export function abortMultipartUpload(world: World, caller: Caller, asked: InUpload) {
  deleteUpload(world, findUpload(world, caller, asked))
  return new Reply(204)
}

export function listParts(
  world: World,
  caller: Caller,
  asked: InUpload & { 'max-parts'?: string; 'part-number-marker'?: string },
) {
  const upload = findUpload(world, caller, asked)
  const after = Number(asked['part-number-marker'] ?? 0)
  const size = Math.min(Number(asked['max-parts'] ?? maxPageSize), maxPageSize)
  const all = partsOf(world, upload).filter(({ number }) => number > after)
  const page = all.slice(0, size)
  return s3Reply('ListPartsResult', {
    Bucket: upload.bucket,
    Key: upload.name,
    UploadId: upload.key,
    PartNumberMarker: after,
    NextPartNumberMarker: page.at(-1)?.number,
    MaxParts: size,
    IsTruncated: all.length > page.length,
    StorageClass: 'STANDARD',
    ChecksumAlgorithm: upload.algorithm,
    ChecksumType: upload.checksumType,
    Part: page.map(describePart),
  })
}

const describePart = ({ number, etag, size, modifiedAt, checksum }: Part) => ({
  PartNumber: number,
  LastModified: new Date(modifiedAt),
  ETag: etag,
  Size: size,
  ...(checksum && { [checksumElement(checksum.name)]: checksum.value }),
})

/** Returns the element name, such as `ChecksumCRC32` for `x-amz-checksum-crc32`. */
export const checksumElement = (header: string) => `Checksum${header.slice('x-amz-checksum-'.length).toUpperCase()}`

export function listMultipartUploads(
  world: World,
  caller: Caller,
  { Bucket, prefix = '', ...asked }: { Bucket: string; prefix?: string; 'max-uploads'?: string; 'key-marker'?: string },
) {
  const bucket = findBucket(world, caller, Bucket)
  const size = Math.min(Number(asked['max-uploads'] ?? maxPageSize), maxPageSize)
  const found = s3(world)
    .uploads.having('bucket', bucket.key)
    .filter(({ name }) => name.startsWith(prefix) && name > (asked['key-marker'] ?? ''))
    .sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : a.startedAt - b.startedAt))
  const page = found.slice(0, size)
  const isTruncated = found.length > page.length
  return s3Reply('ListMultipartUploadsResult', {
    Bucket,
    KeyMarker: asked['key-marker'] ?? '',
    UploadIdMarker: '',
    NextKeyMarker: isTruncated ? page.at(-1)?.name : undefined,
    NextUploadIdMarker: isTruncated ? page.at(-1)?.key : undefined,
    Prefix: prefix,
    MaxUploads: size,
    IsTruncated: isTruncated,
    Upload: page.map(({ key, name, startedAt, algorithm, checksumType }) => ({
      UploadId: key,
      Key: name,
      Initiated: new Date(startedAt),
      StorageClass: 'STANDARD',
      ChecksumAlgorithm: algorithm,
      ChecksumType: checksumType,
    })),
  })
}

export function findUpload(world: World, caller: Caller, { Bucket, Key, uploadId }: InUpload): Upload {
  const bucket = findBucket(world, caller, Bucket)
  const upload = s3(world).uploads.get(uploadId)
  if (upload?.bucket === bucket.key && upload.name === Key) return upload
  const message =
    'The specified upload does not exist. The upload ID may be invalid, or the upload may have been aborted or completed.'
  throw new CloudError('NoSuchUpload', message, 404)
}

export const partsOf = (world: World, { key }: Upload): Part[] =>
  s3(world)
    .parts.having('upload', key)
    .sort((a, b) => a.number - b.number)

export function deleteUpload(world: World, upload: Upload): void {
  for (const part of partsOf(world, upload)) s3(world).parts.remove(part)
  s3(world).uploads.remove(upload)
}
