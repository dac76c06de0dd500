import { isRegion, nameOf, partitionOf, type Scope } from './arns.ts'
import { identities } from './identities.ts'
import { checkPresignedUrl } from './presigned-url.ts'
import { hasSignedBody, isKnownAlgorithm, isSignedWith, type Signature, signedAt } from './signature.ts'
import type { CommonErrors, HttpRequest, Protocol } from './wire/protocol.ts'
import type { World } from './world.ts'

/** Account of the operator, to which all unknown access keys belong. */
export const operatorAccount = '000000000001'

/** Prefix of issued access keys. An unknown key with it belongs to an earlier state. */
export const ownKeyPrefix = 'ASIASIM'

/** Region in a signature that is valid for all regions. */
const anyRegion = '*'

/** Caller, region and service of a request, from the credential scope of its signature. */
export interface Caller {
  accountId: string
  region: string
  scope: Scope
  accessKeyId: string
  arn: string
  userId: string
  roleArn?: string | undefined
}

/** Request with its parsed signature. */
interface Signed extends HttpRequest {
  signature: Signature
}

/**
 * Returns the caller of a request. Throws if the signature is invalid or too old. Without `operatorSecret`, any
 * signature with an unknown access key is accepted as the operator's.
 */
export function callerOf(
  world: World,
  request: Signed,
  { errors, longestSkewMs }: Pick<Protocol, 'errors' | 'longestSkewMs'>,
  operatorSecret: string | undefined,
): Caller {
  const { accessKeyId, region, token, algorithm, isPresigned } = request.signature
  if (isPresigned) checkPresignedUrl(request)
  if (!isKnownAlgorithm(request.signature)) throw errors.unknownAlgorithm(algorithm)
  if (region !== anyRegion && !isRegion(region)) {
    throw errors.badSignature(`Credential should be scoped to a valid region, not '${region}'.`)
  }
  const credentials = identities(world).credentials.get(accessKeyId)
  if (!credentials && accessKeyId.startsWith(ownKeyPrefix)) throw invalidToken(errors)
  const secret = credentials?.secretAccessKey ?? operatorSecret
  if (credentials && token !== credentials.sessionToken) throw invalidToken(errors)
  if (secret !== undefined) checkSignature(request, secret, errors, longestSkewMs)
  if (!credentials) {
    const arn = `arn:${partitionOf(region)}:iam::${operatorAccount}:user/operator`
    const scope = `${region}:${operatorAccount}`
    return { accountId: operatorAccount, region, scope, accessKeyId, arn, userId: 'AIDASIMOPERATOR00000X' }
  }
  if (credentials.expiresAt <= Date.now()) throw expiredToken(errors)
  const { account, roleArn, roleId, sessionName } = credentials
  return {
    accountId: account,
    region,
    scope: `${region}:${account}`,
    accessKeyId,
    arn: assumedArn(roleArn, sessionName),
    userId: `${roleId}:${sessionName}`,
    roleArn,
  }
}

/** Returns the ARN of an assumed role session. */
export function assumedArn(roleArn: string, sessionName: string): string {
  const [, partition, , , account] = roleArn.split(':')
  return `arn:${partition}:sts::${account}:assumed-role/${nameOf(roleArn)}/${sessionName}`
}

function checkSignature(request: Signed, secret: string, errors: CommonErrors, longestSkewMs: number): void {
  const { signature } = request
  if (!signature.isPresigned) checkSigningTime(request, errors, longestSkewMs)
  if (!signature.signedHeaders.includes('host')) {
    throw errors.badSignature("'Host' or ':authority' must be a 'SignedHeader' in the AWS Authorization.")
  }
  if (!hasSignedBody(request) || !isSignedWith(secret, signature, request)) {
    throw errors.badSignature(
      'The request signature we calculated does not match the signature you provided. Check your AWS Secret Access Key and signing method. Consult the service documentation for details.',
    )
  }
}

function checkSigningTime(request: Signed, errors: CommonErrors, longestSkewMs: number): void {
  const { signature } = request
  const at = signedAt(request)
  if (at === undefined || !signature.scope.startsWith(compact(at).slice(0, 8))) {
    throw errors.badSignature('Date in Credential scope does not match the date from the HTTP headers.')
  }
  const now = Date.now()
  const minutes = longestSkewMs / 60_000
  if (at < now - longestSkewMs) {
    const limit = `${compact(now - longestSkewMs)} (${compact(now)} - ${minutes} min.)`
    throw errors.skewed(`Signature expired: ${compact(at)} is now earlier than ${limit}`)
  }
  if (at > now + longestSkewMs) {
    const limit = `${compact(now + longestSkewMs)} (${compact(now)} + ${minutes} min.)`
    throw errors.skewed(`Signature not yet current: ${compact(at)} is still later than ${limit}`)
  }
}

/** Formats a time as in `x-amz-date`. */
const compact = (at: number) => new Date(at).toISOString().replaceAll(/[-:]|\.\d+/g, '')

const invalidToken = (errors: CommonErrors) =>
  errors.invalidToken('The security token included in the request is invalid.')

export const expiredToken = (errors: CommonErrors) =>
  errors.expiredToken('The security token included in the request is expired')
