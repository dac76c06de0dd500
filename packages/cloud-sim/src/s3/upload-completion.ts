import { createHash } from 'node:crypto'
import type { Caller } from '../callers.ts'
import { CloudError } from '../errors.ts'
import type { HttpRequest } from '../wire/protocol.ts'
import { children, childText, type Xml } from '../wire/xml.ts'
import type { World } from '../world.ts'
import { s3Reply } from './answers.ts'
import { type Body, checksumIn } from './bodies.ts'
import { findBucket } from './buckets.ts'
import { checkWriteConditions } from './conditions.ts'
import { save } from './objects.ts'
import { type Part, s3, type Upload } from './state.ts'
import { checksumElement, deleteUpload, findUpload, type InUpload, partsOf } from './uploads.ts'
import { keyOf, versionHeader } from './versions.ts'

/** Minimum size of all parts but the last, in bytes ("Amazon S3 multipart upload limits", user guide, read 2026-11). */
const smallestPart = 5 * 1024 * 1024

/** Combines the parts in the request to one object and deletes the others. */
export function completeMultipartUpload(
  world: World,
  caller: Caller,
  { CompleteMultipartUpload: given, ...asked }: InUpload & { CompleteMultipartUpload?: Xml },
  request: HttpRequest,
) {
  const upload = findUpload(world, caller, asked)
  checkWriteConditions(request.headers, s3(world).objects.get(keyOf(upload.bucket, upload.name)))
  const parts = namedParts(children(given, 'Part'), upload, partsOf(world, upload))
  const { bucket, name, headers, tags, acl } = upload
  const content = Buffer.concat(parts.map((part) => Buffer.from(part.content, 'base64')))
  const digests = parts.map(({ etag }) => Buffer.from(etag.slice(1, -1), 'hex'))
  const etag = `"${createHash('md5').update(Buffer.concat(digests)).digest('hex')}-${parts.length}"`
  const checksum = upload.checksumType === 'COMPOSITE' ? ofParts(parts) : wholeChecksum(upload, content)
  const about = { headers, tags, acl }
  const stored = save(world, { bucket: findBucket(world, caller, bucket), name, content, ...about, checksum, etag })
  deleteUpload(world, upload)
  return s3Reply(
    'CompleteMultipartUploadResult',
    {
      Location: `http://${request.headers.host}/${bucket}/${name}`,
      Bucket: bucket,
      Key: name,
      ETag: etag,
      ...(checksum && { [checksumElement(checksum.name)]: checksum.value, ChecksumType: upload.checksumType }),
    },
    versionHeader(findBucket(world, caller, bucket), stored.versionId),
  )
}

function namedParts(named: Xml[], { algorithm, checksumType }: Upload, parts: Part[]): Part[] {
  if (named.length === 0) {
    throw new CloudError('MalformedXML', 'The XML you provided was not well-formed or did not validate.')
  }
  const numbers = named.map((one) => Number(childText(one, 'PartNumber')))
  if (numbers.some((number, index) => index > 0 && number <= (numbers[index - 1] ?? 0))) {
    const message =
      'The list of parts was not in ascending order. The parts list must be specified in order by part number.'
    throw new CloudError('InvalidPartOrder', message)
  }
  const found = named.map((one, index) => {
    const part = parts.find(({ number }) => number === numbers[index])
    if (!part || unquoted(childText(one, 'ETag')) !== unquoted(part.etag)) throw invalidPart()
    const stated = part.checksum && childText(one, checksumElement(part.checksum.name))
    if (stated !== undefined && stated !== part.checksum?.value) throw invalidPart()
    if (algorithm !== undefined && checksumType === 'COMPOSITE' && stated === undefined) {
      const message = `The upload was created using a ${algorithm.toLowerCase()} checksum. The complete request must include the checksum for each part. It was missing for part ${part.number} in the request.`
      throw new CloudError('InvalidRequest', message)
    }
    return part
  })
  if (found.slice(0, -1).some(({ size }) => size < smallestPart)) {
    throw new CloudError('EntityTooSmall', 'Your proposed upload is smaller than the minimum allowed size')
  }
  return found
}

const unquoted = (etag = '') => etag.replaceAll(/^"|"$/g, '')

const invalidPart = () =>
  new CloudError(
    'InvalidPart',
    "One or more of the specified parts could not be found. The part may not have been uploaded, or the specified entity tag may not match the part's entity tag.",
  )

/** Returns the checksum of all parts' checksums, with their number. */
function ofParts(parts: Part[]): Body['checksum'] {
  const name = parts[0]?.checksum?.name
  if (name === undefined || parts.some(({ checksum }) => checksum?.name !== name)) return undefined
  const all = Buffer.concat(parts.map(({ checksum }) => Buffer.from(checksum?.value ?? '', 'base64')))
  const value = checksumIn(name, all)
  return value === undefined ? undefined : { name, value: `${value}-${parts.length}` }
}

function wholeChecksum({ algorithm }: Upload, content: Buffer): Body['checksum'] {
  if (algorithm === undefined) return undefined
  const name = `x-amz-checksum-${algorithm.toLowerCase()}`
  const value = checksumIn(name, content)
  return value === undefined ? undefined : { name, value }
}
