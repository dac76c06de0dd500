import { type Scope, scopeOfArn } from './arns.ts'
import type { CloudError } from './errors.ts'
import { identities } from './identities.ts'
import type { CommonErrors } from './wire/protocol.ts'
import type { World } from './world.ts'

/** Any access key that was not given out here belongs to this account: the operator's. */
export const operatorAccount = '000000000001'

/** Keys given out here begin with this; one of them that is unknown comes from a state that is gone. */
export const ownKeyPrefix = 'ASIASIM'

/** Who calls, from where, to which service: all of it is said by the signature's credential scope. */
export interface Caller {
  accountId: string
  region: string
  scope: Scope
  accessKeyId: string
  arn: string
  userId: string
  roleArn?: string | undefined
}

export interface Signature {
  accessKeyId: string
  region: string
  service: string
  token?: string | undefined
}

/**
 * Reads `AWS4-HMAC-SHA256 Credential=AK/date/region/service/aws4_request, ...`, or `AWS4-ECDSA-P256-SHA256` without the
 * region, which counts in every one; the signature itself is not verified.
 */
export function readSignature(authorization: string | undefined, token: string | undefined): Signature | undefined {
  const match = /Credential=([^/\s]+)\/\d{8}\/(?:([a-z0-9-]+)\/)?([a-z0-9-]+)\/aws4_request/.exec(authorization ?? '')
  if (!match) return undefined
  const [, accessKeyId = '', region = '*', service = ''] = match
  return { accessKeyId, region, service, token }
}

export function callerOf(
  world: World,
  { accessKeyId, region, token }: Omit<Signature, 'service'>,
  errors: CommonErrors,
): Caller {
  const credentials = identities(world).credentials.get(accessKeyId)
  if (!credentials && accessKeyId.startsWith(ownKeyPrefix)) throw invalidToken(errors)
  if (!credentials) {
    const arn = `arn:aws:iam::${operatorAccount}:user/operator`
    const scope = `${region}:${operatorAccount}`
    return { accountId: operatorAccount, region, scope, accessKeyId, arn, userId: 'AIDASIMOPERATOR00000X' }
  }
  if (token !== credentials.sessionToken) throw invalidToken(errors)
  if (credentials.expiresAt <= Date.now()) throw expiredToken(errors)
  const { account, roleArn, roleId, sessionName } = credentials
  const role = roleArn.slice(roleArn.lastIndexOf('/') + 1)
  return {
    accountId: account,
    region,
    scope: `${region}:${account}`,
    accessKeyId,
    arn: `arn:aws:sts::${account}:assumed-role/${role}/${sessionName}`,
    userId: `${roleId}:${sessionName}`,
    roleArn,
  }
}

const invalidToken = (errors: CommonErrors) =>
  errors.invalidToken('The security token included in the request is invalid.')

export const expiredToken = (errors: CommonErrors) =>
  errors.expiredToken('The security token included in the request is expired')

/** What a caller asks for, with the words in which its service says no. */
export interface Asked {
  service: string
  operation: string
  input: object
  errors: CommonErrors
}

/** Throws where the caller's role denies the action. */
export function authorize(world: World, caller: Caller, asked: Asked): void {
  const role = caller.roleArn ? identities(world).roles.get(caller.roleArn) : undefined
  const action = `${asked.service}:${asked.operation}`
  if (role?.deny.some((denied) => covers(denied, action))) throw accessDenied(caller, asked)
}

export function accessDenied(caller: Caller, { service, operation, input, errors }: Asked): CloudError {
  const action = `${service}:${operation}`
  const resource = resourceIn(input, caller)
  const message = `User: ${caller.arn} is not authorized to perform: ${action} on resource: ${resource} because no identity-based policy allows the ${action} action`
  return errors.accessDenied(message)
}

const covers = (denied: string, action: string) =>
  denied.endsWith('*') ? action.startsWith(denied.slice(0, -1)) : denied === action

/** The first ARN that the request names within the caller's own world, or everything. */
function resourceIn(input: object, caller: Caller): string {
  const named = Object.values(input).find((value) => typeof value === 'string' && value.startsWith('arn:'))
  if (typeof named === 'string' && scopeOfArn(named) === caller.scope) return named
  return '*'
}
