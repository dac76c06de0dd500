import { AssumeRoleCommand, GetCallerIdentityCommand, STSClient, type STSClientConfig } from '@aws-sdk/client-sts'
import { consoleUrl, homeRegionOf } from '../facts/partition.ts'
import { CloudPermanentError, CloudTransientError, callCloud } from './cloud-call.ts'

/** Role to assume, with the external id to send. */
export type RoleToCheck = { organizationId: string; roleArn: string; externalId: string }

/** Result of checking a role. */
export type RoleCheck =
  | { verdict: 'sound'; accountNumber: string }
  /** The cloud denied access; `reason` is its message. */
  | { verdict: 'refused'; reason: string }
  /** The role does not require its external id, so other parties could assume it through Sluice. */
  | { verdict: 'too-open'; how: 'without an external id' | 'with a wrong external id' }

export type Credentials = { accessKeyId: string; secretAccessKey: string; sessionToken: string; expiration: Date }

const sessionSeconds = 3600

/** Assumes a role. Sends no external id if `externalId` is undefined. */
export async function assumeRole(
  sts: STSClient,
  { organizationId, roleArn, externalId }: Omit<RoleToCheck, 'externalId'> & { externalId: string | undefined },
): Promise<Credentials> {
  const command = new AssumeRoleCommand({
    RoleArn: roleArn,
    ExternalId: externalId,
    // Appears in the customer's CloudTrail.
    RoleSessionName: `sluice-${organizationId}`.slice(0, 64),
    DurationSeconds: sessionSeconds,
  })
  const { Credentials: given } = await callCloud(() => sts.send(command)).catch((error) =>
    regionNamed(error, sts, roleArn),
  )
  if (!given?.AccessKeyId || !given.SecretAccessKey || !given.SessionToken || !given.Expiration) {
    throw new CloudTransientError('The cloud answered AssumeRole without credentials.')
  }
  return {
    accessKeyId: given.AccessKeyId,
    secretAccessKey: given.SecretAccessKey,
    sessionToken: given.SessionToken,
    expiration: given.Expiration,
  }
}

/** Adds the region and the remedy to the error for a region that the account has not enabled. */
async function regionNamed(error: unknown, sts: STSClient, roleArn: string): Promise<never> {
  if (!(error instanceof CloudPermanentError) || error.reason !== 'RegionDisabledException') throw error
  const [region, account] = [await sts.config.region(), roleArn.split(':').at(4)]
  const message = `The region ${region} is not enabled in the cloud account ${account}: enable it there, in the account's settings under Regions, or release to another region.`
  throw new CloudPermanentError(error.reason, message, { cause: error })
}

/**
 * Assumes the role with its external id, without one and with a wrong one. A role that does not require its external id
 * would let any tenant who knows the ARN use it through Sluice (the confused deputy problem).
 */
export async function checkRole(settings: STSClientConfig, role: RoleToCheck): Promise<RoleCheck> {
  const region = homeRegionOf(role.roleArn)
  const sts = new STSClient({ ...settings, region })
  try {
    const credentials = await assumeRole(sts, role)
    if (await opens(sts, { ...role, externalId: undefined })) {
      return { verdict: 'too-open', how: 'without an external id' }
    }
    if (await opens(sts, { ...role, externalId: `not-${role.externalId}` })) {
      return { verdict: 'too-open', how: 'with a wrong external id' }
    }
    const { accountNumber } = await identityOf(new STSClient({ ...settings, region, credentials }))
    return { verdict: 'sound', accountNumber }
  } catch (error) {
    if (error instanceof CloudPermanentError) return { verdict: 'refused', reason: `${error.reason}: ${error.message}` }
    throw error
  }
}

async function opens(sts: STSClient, role: Parameters<typeof assumeRole>[1]): Promise<boolean> {
  try {
    await assumeRole(sts, role)
    return true
  } catch (error) {
    if (error instanceof CloudPermanentError) return false
    throw error
  }
}

/** Returns the account and partition of a client's credentials. */
async function identityOf(sts: STSClient): Promise<{ accountNumber: string; partition: string }> {
  const { Account, Arn } = await callCloud(() => sts.send(new GetCallerIdentityCommand({})))
  const partition = Arn?.split(':').at(1)
  if (!Account || !partition) throw new CloudTransientError('The cloud answered GetCallerIdentity without an account.')
  return { accountNumber: Account, partition }
}

/** Returns the account number of the server's own credentials. */
export async function ownAccount(settings: STSClientConfig): Promise<string> {
  return (await identityOf(new STSClient({ ...settings, region: ownRegion() }))).accountNumber
}

/** What an account's owner needs to create the role. */
export type RoleRecipe = { principal: string; trustPolicy: string; url?: string }

export type RecipeRequest = {
  externalId: string
  /** Region of the link; defaults to the server's region. */
  region: string | undefined
  stackName: string
  /** HTTPS address of the stack's template in S3; without it there is no link. */
  templateUrl: string | undefined
}

/**
 * Returns the server's region, as the SDK determines it. It identifies the partition of the server's credentials; in
 * the commercial partition any region works.
 */
const ownRegion = (): string => process.env.AWS_REGION || process.env.AWS_DEFAULT_REGION || 'us-east-1'

/**
 * Returns the trust policy and the quick-create link for the role. The policy trusts Sluice's whole account, whose own
 * policies limit which principals may assume roles.
 */
export async function roleRecipe(settings: STSClientConfig, request: RecipeRequest): Promise<RoleRecipe> {
  const { externalId, region = ownRegion(), stackName, templateUrl } = request
  const { accountNumber, partition } = await identityOf(new STSClient({ ...settings, region }))
  const principal = `arn:${partition}:iam::${accountNumber}:root`
  const trustPolicy = {
    Version: '2012-10-17',
    Statement: [
      {
        Effect: 'Allow',
        Principal: { AWS: principal },
        Action: 'sts:AssumeRole',
        Condition: { StringEquals: { 'sts:ExternalId': externalId } },
      },
    ],
  }
  const recipe = { principal, trustPolicy: JSON.stringify(trustPolicy, null, 2) }
  if (templateUrl === undefined) return recipe
  return {
    ...recipe,
    url: quickCreateUrl(region, templateUrl, stackName, { ExternalId: externalId, PrincipalArn: principal }),
  }
}

// The console reads parameters after the # like a query string (quick-create links, read 2026-11).
function quickCreateUrl(
  region: string,
  templateURL: string,
  stackName: string,
  parameters: Record<string, string>,
): string {
  const named = Object.entries(parameters).map(([name, value]) => [`param_${name}`, value] as const)
  const query = [['templateURL', templateURL] as const, ['stackName', stackName] as const, ...named]
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&')
  return consoleUrl(region, `cloudformation/home?region=${region}#/stacks/create/review?${query}`)
}
