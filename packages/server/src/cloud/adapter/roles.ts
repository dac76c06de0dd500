import { AssumeRoleCommand, GetCallerIdentityCommand, STSClient, type STSClientConfig } from '@aws-sdk/client-sts'
import { consoleUrl, homeRegionOf } from '../facts/partition.ts'
import { ask, CloudRefusal, CloudTrouble } from './answer.ts'

/** A role as it is to be assumed. */
export type RoleToCheck = { organizationId: string; roleArn: string; externalId: string }

/** What became of trying a role. */
export type RoleCheck =
  | { verdict: 'sound'; accountNumber: string }
  /** The cloud does not let us in; in its own words. */
  | { verdict: 'refused'; reason: string }
  /** Others than us could be let in too: the role does not insist on its external id. */
  | { verdict: 'too-open'; how: 'without an external id' | 'with a wrong external id' }

export type Credentials = { accessKeyId: string; secretAccessKey: string; sessionToken: string; expiration: Date }

const sessionSeconds = 3600

/** Assumes a role; without `externalId` none is sent. */
export async function assumeRole(
  sts: STSClient,
  { organizationId, roleArn, externalId }: Omit<RoleToCheck, 'externalId'> & { externalId: string | undefined },
): Promise<Credentials> {
  const command = new AssumeRoleCommand({
    RoleArn: roleArn,
    ExternalId: externalId,
    // Shown in the customer's own trail of calls.
    RoleSessionName: `sluice-${organizationId}`.slice(0, 64),
    DurationSeconds: sessionSeconds,
  })
  const { Credentials: given } = await ask(() => sts.send(command)).catch((error) => regionNamed(error, sts, roleArn))
  if (!given?.AccessKeyId || !given.SecretAccessKey || !given.SessionToken || !given.Expiration) {
    throw new CloudTrouble('The cloud answered AssumeRole without credentials.')
  }
  return {
    accessKeyId: given.AccessKeyId,
    secretAccessKey: given.SecretAccessKey,
    sessionToken: given.SessionToken,
    expiration: given.Expiration,
  }
}

/** A region that an account has to opt in to says neither which it is nor what to do. */
async function regionNamed(error: unknown, sts: STSClient, roleArn: string): Promise<never> {
  if (!(error instanceof CloudRefusal) || error.reason !== 'RegionDisabledException') throw error
  const [region, account] = [await sts.config.region(), roleArn.split(':').at(4)]
  const message = `The region ${region} is not enabled in the cloud account ${account}: enable it there, in the account's settings under Regions, or release to another region.`
  throw new CloudRefusal(error.reason, message, { cause: error })
}

/**
 * Tries a role as it will be used, and as somebody else would: a role that opens without its external id, or with
 * another one, would let any tenant that knows its name borrow it through us (the confused deputy).
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
    if (error instanceof CloudRefusal) return { verdict: 'refused', reason: `${error.reason}: ${error.message}` }
    throw error
  }
}

async function opens(sts: STSClient, role: Parameters<typeof assumeRole>[1]): Promise<boolean> {
  try {
    await assumeRole(sts, role)
    return true
  } catch (error) {
    if (error instanceof CloudRefusal) return false
    throw error
  }
}

/** Whose credentials a client has. */
async function identityOf(sts: STSClient): Promise<{ accountNumber: string; partition: string }> {
  const { Account, Arn } = await ask(() => sts.send(new GetCallerIdentityCommand({})))
  const partition = Arn?.split(':').at(1)
  if (!Account || !partition) throw new CloudTrouble('The cloud answered GetCallerIdentity without an account.')
  return { accountNumber: Account, partition }
}

/** The number of the account that our own credentials are of. */
export async function ownAccount(settings: STSClientConfig): Promise<string> {
  return (await identityOf(new STSClient({ ...settings, region: ownRegion() }))).accountNumber
}

/** How a role that lets us in, and nobody else, is made. */
export type RoleRecipe = { principal: string; trustPolicy: string; url?: string }

export type RecipeWish = {
  externalId: string
  /** Without, the server's own. */
  region: string | undefined
  stackName: string
  /** Where the stack's template lies (https, in the cloud's own storage); without, there is no link. */
  templateUrl: string | undefined
}

/**
 * The region that the server is told to be in, as the SDK is: it says which partition our credentials are of. In the
 * commercial one any region does.
 */
const ownRegion = (): string => process.env.AWS_REGION || process.env.AWS_DEFAULT_REGION || 'us-east-1'

/** The trust policy names our whole account: which of our principals may assume roles, our own policies say. */
export async function roleRecipe(settings: STSClientConfig, wish: RecipeWish): Promise<RoleRecipe> {
  const { externalId, region = ownRegion(), stackName, templateUrl } = wish
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

// Everything after the # is the console's own; it reads its parameters like a query (quick-create links, read 2026-11).
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
