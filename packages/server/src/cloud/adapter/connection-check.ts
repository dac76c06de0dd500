import { IAMClient, type IAMClientConfig, ListRoleTagsCommand } from '@aws-sdk/client-iam'
import { STSClient, type STSClientConfig } from '@aws-sdk/client-sts'
import { homeRegionOf } from '../facts/partition.ts'
import { CloudPermanentError, callCloud } from './cloud-call.ts'
import { assumeRole, type Credentials, type RoleToCheck } from './roles.ts'

/** Result of checking the connection to an account. */
export type ConnectionCheck =
  /** `tags` of the role; absent if the role may not read them. */
  | { verdict: 'open'; tags?: Record<string, string> }
  /** `reason` is the cloud's error code. */
  | { verdict: 'refused'; reason: string; message: string }

/** Client settings that STS and IAM share. */
type Settings = Pick<STSClientConfig & IAMClientConfig, 'requestHandler' | 'retryStrategy' | 'endpoint'>

/**
 * Assumes the role in every region in use and reads the role's tags. Makes no request that is expected to fail, because
 * owners watch CloudTrail for denied attempts.
 */
export async function checkConnection(
  settings: Settings,
  role: RoleToCheck,
  regions: readonly string[],
): Promise<ConnectionCheck> {
  const home = homeRegionOf(role.roleArn)
  const enter = (region: string) => assumeRole(new STSClient({ ...settings, region }), role)
  try {
    const credentials = await enter(home)
    await Promise.all(regions.filter((region) => region !== home).map(enter))
    return { verdict: 'open', ...(await ownTags({ ...settings, region: home, credentials }, role.roleArn)) }
  } catch (error) {
    if (!(error instanceof CloudPermanentError)) throw error
    return { verdict: 'refused', reason: error.reason, message: error.message }
  }
}

async function ownTags(
  settings: Settings & { region: string; credentials: Credentials },
  roleArn: string,
): Promise<{ tags?: Record<string, string> }> {
  const iam = new IAMClient(settings)
  try {
    const { Tags = [] } = await callCloud(() =>
      iam.send(new ListRoleTagsCommand({ RoleName: roleArn.split('/').at(-1) })),
    )
    return { tags: Object.fromEntries(Tags.map(({ Key = '', Value = '' }) => [Key, Value])) }
  } catch (error) {
    // A role created before this permission was part of the template.
    if (error instanceof CloudPermanentError) return {}
    throw error
  }
}
