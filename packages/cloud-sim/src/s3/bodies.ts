import { createHash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { crc32 } from 'node:zlib'
import { CloudError } from '../errors.ts'
import type { HttpRequest } from '../wire/protocol.ts'

/** Decoded body with its checksum, if any. */
export interface Body {
  content: Buffer
  checksum?: { name: string; value: string } | undefined
}

const digest = (algorithm: string) => (content: Buffer) => createHash(algorithm).update(content).digest('base64')

/** Checksums that are verified; others (crc32c, crc64nvme) are trusted. */
const checks: Record<string, (content: Buffer) => string> = {
  'x-amz-checksum-crc32': (content) => {
    const bytes = Buffer.alloc(4)
    bytes.writeUInt32BE(crc32(content))
    return bytes.toString('base64')
  },
  'x-amz-checksum-sha1': digest('sha1'),
  'x-amz-checksum-sha256': digest('sha256'),
}

/** Length of each checksum in bytes, by header. */
const checksumBytes: Record<string, number> = {
  'x-amz-checksum-crc32': 4,
  'x-amz-checksum-crc32c': 4,
  'x-amz-checksum-crc64nvme': 8,
  'x-amz-checksum-sha1': 20,
  'x-amz-checksum-sha256': 32,
}

const isBase64Of = (text: string, bytes: number | undefined): boolean => {
  const decoded = Buffer.from(text, 'base64')
  return decoded.length === bytes && decoded.toString('base64') === text
}

/** Returns the checksum of a content for a header, or undefined if it is not verified. */
export const checksumIn = (header: string, content: Buffer): string | undefined => checks[header]?.(content)

/** Decodes a request body from its chunks and verifies its checksums. */
export function readBody({ headers, body }: HttpRequest): Body {
  const isChunked = String(headers['x-amz-content-sha256'] ?? '').startsWith('STREAMING-')
  const { content, trailers } = isChunked ? unchunked(body) : { content: body, trailers: {} }
  const stated = headers['x-amz-decoded-content-length']
  if (isChunked && Number(stated) !== content.length) {
    throw new CloudError(
      'IncompleteBody',
      'You did not provide the number of bytes specified by the Content-Length HTTP header.',
    )
  }
  const md5 = headers['content-md5'] as string | undefined
  if (md5 !== undefined && !isBase64Of(md5, 16)) {
    throw new CloudError('InvalidDigest', 'The Content-MD5 you specified was invalid.')
  }
  if (md5 !== undefined && md5 !== digest('md5')(content)) {
    throw new CloudError('BadDigest', 'The Content-MD5 you specified did not match what we received.')
  }
  return { content, checksum: checkedChecksum(content, { ...headers, ...trailers }) }
}

function checkedChecksum(content: Buffer, headers: IncomingHttpHeaders): Body['checksum'] {
  const named = Object.entries(headers).filter(([header]) => header in checksumBytes)
  if (named.length > 1) {
    const message = 'Expecting a single x-amz-checksum- header. Multiple checksum Types are not allowed.'
    throw new CloudError('InvalidRequest', message)
  }
  const [name, value] = named[0] ?? []
  if (name === undefined || typeof value !== 'string') return undefined
  if (!isBase64Of(value, checksumBytes[name])) {
    throw new CloudError('InvalidRequest', `Value for ${name} header is invalid.`)
  }
  const expected = checksumIn(name, content)
  if (expected !== undefined && expected !== value) {
    const algorithm = name.slice('x-amz-checksum-'.length).toUpperCase()
    throw new CloudError('BadDigest', `The ${algorithm} you specified did not match the calculated checksum.`)
  }
  return { name, value }
}

/** Decodes `aws-chunked`: `length;chunk-signature=…`, the bytes, and so on until length 0; then trailing headers. */
function unchunked(body: Buffer): { content: Buffer; trailers: Record<string, string> } {
  const chunks: Buffer[] = []
  let at = 0
  for (;;) {
    const end = body.indexOf('\r\n', at)
    const length = end < 0 ? Number.NaN : Number.parseInt(body.toString('latin1', at, end), 16)
    if (!(length >= 0)) throw new CloudError('InvalidRequest', 'The chunks of the body cannot be read.')
    if (length === 0) return { content: Buffer.concat(chunks), trailers: trailersOf(body.toString('latin1', end + 2)) }
    chunks.push(body.subarray(end + 2, end + 2 + length))
    at = end + 2 + length + 2
  }
}

const trailersOf = (text: string): Record<string, string> =>
  Object.fromEntries(
    text.split(/\r?\n/).flatMap((line) => {
      const [name = '', value] = line.split(':')
      return value === undefined ? [] : [[name.trim().toLowerCase(), value.trim()]]
    }),
  )
