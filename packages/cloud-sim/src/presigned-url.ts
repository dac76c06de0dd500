import { CloudError } from './errors.ts'
import { isKnownAlgorithm, type Signature, signedAt } from './signature.ts'
import type { HttpRequest } from './wire/protocol.ts'

/** Maximum validity of a presigned URL: "Authenticating Requests: Using Query Parameters", S3 API, read 2026-11. */
const maxExpiresSeconds = 604_800
/** Maximum clock skew of a signer. */
const maxSkewMs = 15 * 60_000

/** Query parameters of a presigned URL. */
const signingParameters = [
  'X-Amz-Algorithm',
  'X-Amz-Credential',
  'X-Amz-Signature',
  'X-Amz-Date',
  'X-Amz-SignedHeaders',
  'X-Amz-Expires',
]

/** Reports whether a request is presigned, even if parameters are missing or invalid. */
export const isPresigned = ({ searchParams }: URL): boolean => signingParameters.some((name) => searchParams.has(name))

/** Parses the signature of a presigned URL. Missing parts are empty; `checkPresignedUrl` reports them. */
export function readPresignedUrl({ searchParams }: URL): Signature {
  const parameter = (name: string) => searchParams.get(name) ?? ''
  const [accessKeyId = '', ...scope] = parameter('X-Amz-Credential').split('/')
  return {
    isPresigned: true,
    accessKeyId,
    region: scope[1] ?? '',
    service: 's3',
    token: parameter('X-Amz-Security-Token'),
    algorithm: parameter('X-Amz-Algorithm'),
    scope: scope.join('/'),
    signedHeaders: parameter('X-Amz-SignedHeaders').split(';'),
    value: parameter('X-Amz-Signature'),
  }
}

/** Returns a request's headers including those in a presigned URL's query, such as `x-amz-acl`. */
export function withQueryHeaders({ headers, url }: HttpRequest): HttpRequest['headers'] {
  const inQuery = [...url.searchParams]
    .filter(([name]) => /^x-amz-/i.test(name) && !signingParameters.includes(name))
    .map(([name, value]) => [name.toLowerCase(), value])
  return { ...Object.fromEntries(inQuery), ...headers }
}

/** Rejects a presigned URL that is malformed or not valid at this time, like S3. Does not verify the signature. */
export function checkPresignedUrl(request: HttpRequest & { signature: Signature }, now = Date.now()): void {
  const { headers, signature, url } = request
  const parameter = (name: string) => url.searchParams.get(name) ?? ''
  if (headers.authorization !== undefined) throw new CloudError('InvalidArgument', twoMechanisms)
  if (signingParameters.some((name) => parameter(name) === '')) throw malformed(missingParameters)
  if (!isKnownAlgorithm(signature)) throw malformed(unknownAlgorithm)
  checkScope(signature, parameter('X-Amz-Date'))
  const expiresSeconds = secondsIn(parameter('X-Amz-Expires'))
  const at = signedAt(request) ?? 0
  if (at > now + maxSkewMs) throw denied('Request is not valid yet')
  if (at + expiresSeconds * 1000 < now) throw denied('Request has expired')
  const isSigned = (name: string) => signature.signedHeaders.includes(name)
  if (Object.keys(headers).some((name) => name.startsWith('x-amz-') && !isSigned(name))) throw denied(unsignedHeaders)
}

function checkScope({ scope }: Signature, date: string): void {
  const [day = '', region, service, end, ...rest] = scope.split('/')
  const wrong = (reason: string) => malformed(`Error parsing the X-Amz-Credential parameter; ${reason}`)
  if (!/^\d{8}$/.test(day) || !region || end !== 'aws4_request' || rest.length > 0) {
    throw wrong('the Credential is mal-formed; expecting "<YOUR-AKID>/YYYYMMDD/REGION/SERVICE/aws4_request".')
  }
  if (service !== 's3') throw wrong(`incorrect service "${service}". This endpoint belongs to "s3".`)
  if (!/^\d{8}T\d{6}Z$/.test(date)) {
    throw malformed(`X-Amz-Date must be in the ISO8601 Long Format "yyyyMMdd'T'HHmmss'Z'"`)
  }
  if (!date.startsWith(day)) {
    throw malformed(`Invalid credential date "${day}". This date is not the same as X-Amz-Date: "${date.slice(0, 8)}".`)
  }
}

function secondsIn(expires: string): number {
  if (!/^-?\d+$/.test(expires)) throw malformed('X-Amz-Expires should be a number')
  const seconds = Number(expires)
  if (seconds < 0) throw malformed('X-Amz-Expires must be non-negative')
  if (seconds <= maxExpiresSeconds) return seconds
  const limit = `the given X-Amz-Expires must be less than ${maxExpiresSeconds} seconds`
  throw malformed(`X-Amz-Expires must be less than a week (in seconds); that is, ${limit}`)
}

const malformed = (message: string) => new CloudError('AuthorizationQueryParametersError', message)
const denied = (message: string) => new CloudError('AccessDenied', message, 403)

const missingParameters =
  'Query-string authentication version 4 requires the X-Amz-Algorithm, X-Amz-Credential, X-Amz-Signature, X-Amz-Date, X-Amz-SignedHeaders, and X-Amz-Expires parameters.'
const unknownAlgorithm = 'X-Amz-Algorithm only supports "AWS4-HMAC-SHA256 and AWS4-ECDSA-P256-SHA256"'
const unsignedHeaders = 'There were headers present in the request which were not signed'
const twoMechanisms =
  'Only one auth mechanism allowed; only the X-Amz-Algorithm query parameter, Signature query string parameter or the Authorization header should be specified'
