import { partitionOf } from '../arns.ts'
import { assumedArn, type Caller, ownKeyPrefix } from '../callers.ts'
import { CloudError } from '../errors.ts'
import type { Credentials } from '../identities.ts'
import { identities } from '../identities.ts'
import { base32, urlSafe } from '../ids.ts'
import { operations } from '../operation.ts'
import type { World } from '../world.ts'

interface AssumeRoleInput {
  RoleArn?: string
  RoleSessionName?: string
  DurationSeconds?: string
  ExternalId?: string
}

const shortestSessionSeconds = 900
const defaultSessionSeconds = 3600
/** Maximum session duration of a chained role, in seconds. */
const maxChainedSeconds = 3600
/** Time for which expired credentials are retained, so that their use is reported as expired. */
const rememberedMs = 24 * 3600 * 1000

/** Matches a role ARN, with partition and account as groups. */
export const roleArnPattern = /^arn:(aws(?:-[a-z-]+)?):iam::(\d{12}):role\/.+$/

/** Opt-in Regions ("Enable or disable AWS Regions in your account" of the Account Management guide, read 2026-11). */
const optInRegions: ReadonlySet<string> = new Set([
  'af-south-1',
  'ap-east-1',
  'ap-east-2',
  'ap-south-2',
  'ap-southeast-3',
  'ap-southeast-4',
  'ap-southeast-5',
  'ap-southeast-6',
  'ap-southeast-7',
  'ca-west-1',
  'eu-central-2',
  'eu-south-1',
  'eu-south-2',
  'il-central-1',
  'me-central-1',
  'me-south-1',
  'mx-central-1',
])

function assumeRole(world: World, caller: Caller, input: AssumeRoleInput) {
  const { RoleArn: roleArn = '', RoleSessionName: sessionName = '', ExternalId: externalId } = input
  const [, partition = '', account] = roleArnPattern.exec(roleArn) ?? []
  if (account === undefined || partition !== partitionOf(caller.region))
    throw new CloudError('ValidationError', `${roleArn} is invalid`)
  if (!/^[\w+=,.@-]{2,64}$/.test(sessionName)) {
    const rule = 'Member must satisfy regular expression pattern: [\\w+=,.@-]*'
    const message = `1 validation error detected: Value '${sessionName}' at 'roleSessionName' failed to satisfy constraint: ${rule}`
    throw new CloudError('ValidationError', message)
  }
  const seconds = Number(input.DurationSeconds ?? defaultSessionSeconds)
  if (!(seconds >= shortestSessionSeconds && seconds <= 43_200)) {
    const message = `1 validation error detected: Value '${input.DurationSeconds}' at 'durationSeconds' failed to satisfy constraint: Member must have value between ${shortestSessionSeconds} and 43200`
    throw new CloudError('ValidationError', message)
  }
  if (caller.roleArn !== undefined && seconds > maxChainedSeconds) {
    const message = 'The requested DurationSeconds exceeds the 1 hour session limit for roles assumed by role chaining'
    throw new CloudError('ValidationError', message)
  }
  const role = identities(world).roles.get(roleArn)
  const isTrusted = role?.trustedService === undefined && [undefined, externalId].includes(role?.externalId)
  if (!role || !isTrusted) {
    const message = `User: ${caller.arn} is not authorized to perform: sts:AssumeRole on resource: ${roleArn}`
    throw new CloudError('AccessDenied', message, 403)
  }
  if (optInRegions.has(caller.region) && !role.enabledRegions?.includes(caller.region)) {
    const message = `STS is not activated in this region for account:${account}. Your account administrator can activate STS in this region using the IAM Console.`
    throw new CloudError('RegionDisabledException', message, 403)
  }
  if (seconds > role.maxSessionSeconds) {
    const message = 'The requested DurationSeconds exceeds the MaxSessionDuration set for this role.'
    throw new CloudError('ValidationError', message)
  }
  deleteExpired(world)
  return answer(identities(world).credentials.save(newCredentials(account, roleArn, sessionName, seconds)))
}

/** Creates credentials for a role session. */
export function newCredentials(account: string, roleArn: string, sessionName: string, seconds: number): Credentials {
  return {
    key: ownKeyPrefix + base32(20 - ownKeyPrefix.length),
    secretAccessKey: urlSafe(40),
    sessionToken: `IQoJb3JpZ2luX2Vj${urlSafe(200)}`,
    account,
    roleArn,
    roleId: `AROASIM${base32(14)}`,
    sessionName,
    expiresAt: Date.now() + seconds * 1000,
  }
}

function answer({ key, secretAccessKey, sessionToken, roleArn, roleId, sessionName, expiresAt }: Credentials) {
  return {
    Credentials: {
      AccessKeyId: key,
      SecretAccessKey: secretAccessKey,
      SessionToken: sessionToken,
      Expiration: new Date(expiresAt),
    },
    AssumedRoleUser: {
      AssumedRoleId: `${roleId}:${sessionName}`,
      Arn: assumedArn(roleArn, sessionName),
    },
    PackedPolicySize: 0,
  }
}

/** Deletes old credentials. Rows are in issue order, so the oldest come first. */
function deleteExpired(world: World): void {
  for (const credentials of identities(world).credentials.all()) {
    if (credentials.expiresAt + rememberedMs > Date.now()) return
    identities(world).credentials.remove(credentials)
  }
}

const getCallerIdentity = (_world: World, { accountId, arn, userId }: Caller, _input: object) => ({
  UserId: userId,
  Account: accountId,
  Arn: arn,
})

/** Simulated operations of STS, API version 2011-06-15. */
export const stsOperations = operations({ AssumeRole: assumeRole, GetCallerIdentity: getCallerIdentity })
