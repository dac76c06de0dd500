import { createECDH, createHash, createHmac, createPublicKey, timingSafeEqual, verify } from 'node:crypto'
import type { HttpRequest } from './wire/protocol.ts'

/** Parsed signature from the `Authorization` header or a presigned URL. */
export interface Signature {
  /** Whether the signature is in the URL's query. */
  isPresigned: boolean
  accessKeyId: string
  /** `*` for a signature that is valid in all regions. */
  region: string
  service: string
  token?: string | undefined
  /** Signature algorithm. Only `AWS4-HMAC-SHA256` and `AWS4-ECDSA-P256-SHA256` can be verified. */
  algorithm: string
  /** Credential scope, such as `20260131/eu-west-1/ecs/aws4_request`. */
  scope: string
  signedHeaders: string[]
  value: string
}

/**
 * Parses `AWS4-HMAC-SHA256 Credential=AK/date/region/service/aws4_request, SignedHeaders=a;b, Signature=…`, or
 * `AWS4-ECDSA-P256-SHA256` without a region.
 */
export function readSignature(authorization: string | undefined, token: string | undefined): Signature | undefined {
  const text = authorization ?? ''
  const credential = /Credential=([^/\s]+)\/(\d{8}\/(?:([a-z0-9-]+)\/)?([a-z0-9-]+)\/aws4_request)/.exec(text)
  if (!credential) return undefined
  const [, accessKeyId = '', scope = '', region = '*', service = ''] = credential
  const [algorithm = ''] = text.split(' ')
  const signedHeaders = /SignedHeaders=([^,\s]+)/.exec(text)?.[1]?.split(';') ?? []
  const value = /Signature=([0-9a-f]+)/.exec(text)?.[1] ?? ''
  return { isPresigned: false, accessKeyId, region, service, token, algorithm, scope, signedHeaders, value }
}

export const isKnownAlgorithm = ({ algorithm }: Pick<Signature, 'algorithm'>): boolean =>
  ['AWS4-HMAC-SHA256', 'AWS4-ECDSA-P256-SHA256'].includes(algorithm)

/** Returns the time of a signature in epoch milliseconds, or `undefined` if missing. */
export function signedAt(request: Pick<HttpRequest, 'headers' | 'url'>): number | undefined {
  const { headers } = request
  const compact = dateOf(request)
  const text = compact.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z')
  const at = Date.parse(text || String(headers.date))
  return Number.isNaN(at) ? undefined : at
}

/**
 * Verifies that the holder of `secret` signed the request unchanged ("Create a signed AWS API request" of the IAM
 * guide).
 */
export function isSignedWith(secret: string, signature: Signature, request: HttpRequest): boolean {
  const { algorithm, scope, value, accessKeyId } = signature
  const text = [algorithm, dateOf(request), scope, sha256(canonical(request, signature))].join('\n')
  if (algorithm === 'AWS4-ECDSA-P256-SHA256') {
    return verify('sha256', Buffer.from(text), publicKey(accessKeyId, secret), Buffer.from(value, 'hex'))
  }
  const key = scope.split('/').reduce<string | Buffer>((made, part) => hmac(made, part), `AWS4${secret}`)
  return isEqual(hmac(key, text).toString('hex'), value)
}

/** Returns the date in the signer's format: `20260131T120000Z`. */
const dateOf = ({ headers, url }: Pick<HttpRequest, 'headers' | 'url'>): string =>
  String(headers['x-amz-date'] ?? url.searchParams.get('X-Amz-Date') ?? '')

function canonical(request: HttpRequest, { service, signedHeaders, isPresigned }: Signature): string {
  const { method, url, headers } = request
  // S3 signs the path as sent; all other services encode it again.
  const path = service === 's3' ? url.pathname : url.pathname.split('/').map(encoded).join('/')
  const headerOf = (name: string) =>
    String(headers[name] ?? '')
      .trim()
      .replaceAll(/ +/g, ' ')
  const lines = signedHeaders.map((name) => `${name}:${headerOf(name)}\n`)
  const payload = isPresigned ? presignedPayload(url) : payloadOf(request)
  return [method, path, canonicalQuery(url.search), lines.join(''), signedHeaders.join(';'), payload].join('\n')
}

const payloadOf = ({ headers, body }: HttpRequest) => headers['x-amz-content-sha256'] ?? sha256(body)
const presignedPayload = ({ searchParams }: URL) => searchParams.get('X-Amz-Content-Sha256') ?? 'UNSIGNED-PAYLOAD'

/** Returns the canonical query, without the signature of a presigned URL. */
function canonicalQuery(search: string): string {
  const pairs = search
    .slice(1)
    .split('&')
    .filter((pair) => pair !== '' && !pair.startsWith('X-Amz-Signature='))
  return pairs
    .map((pair) => {
      const [name = '', ...value] = pair.split('=')
      return `${encoded(decoded(name))}=${encoded(decoded(value.join('=')))}`
    })
    .sort()
    .join('&')
}

/** Decodes a text. Invalid escapes are compared unchanged. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
const encoded = (text: string) =>
  encodeURIComponent(text).replaceAll(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)

/** Reports whether the body matches its signed hash. Streaming and unsigned bodies are accepted. */
export function hasSignedBody({ headers, body }: HttpRequest): boolean {
  const claimed = String(headers['x-amz-content-sha256'] ?? '')
  return !/^[0-9a-f]{64}$/.test(claimed) || claimed === sha256(body)
}

const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest('hex')
const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest()

const isEqual = (one: string, other: string) =>
  one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other))

/** Order of the curve P-256. A private key is one more than a number from 0 to this order minus two. */
const order = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n

/** Derives the SigV4a key from the secret, trying until the result is in range. */
function publicKey(accessKeyId: string, secret: string) {
  for (let attempt = 1; attempt < 255; attempt += 1) {
    const label = Buffer.from(`AWS4-ECDSA-P256-SHA256\0${accessKeyId}`)
    const input = Buffer.concat([Buffer.from([0, 0, 0, 1]), label, Buffer.from([attempt, 0, 0, 1, 0])])
    const candidate = BigInt(`0x${createHmac('sha256', `AWS4A${secret}`).update(input).digest('hex')}`)
    if (candidate > order - 2n) continue
    const pair = createECDH('prime256v1')
    pair.setPrivateKey((candidate + 1n).toString(16).padStart(64, '0'), 'hex')
    const point = pair.getPublicKey()
    const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((part) => part.toString('base64url'))
    return createPublicKey({ key: { kty: 'EC', crv: 'P-256', x: x ?? '', y: y ?? '' }, format: 'jwk' })
  }
  throw new Error('No key can be derived.')
}
