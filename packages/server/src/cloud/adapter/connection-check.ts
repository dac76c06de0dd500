import { IAMClient, type IAMClientConfig, ListRoleTagsCommand } from '@aws-sdk/client-iam'
import { STSClient, type STSClientConfig } from '@aws-sdk/client-sts'
import { homeRegionOf } from '../facts/partition.ts'
import { ask, CloudRefusal } from './answer.ts'
import { assumeRole, type Credentials, type RoleToCheck } from './roles.ts'

/** What became of trying a connection as it is used. */
export type ConnectionCheck =
  /** `tags` are the role's own; absent where the role may not show them. */
  | { verdict: 'open'; tags?: Record<string, string> }
  /** `reason` is the cloud's name of the refusal. */
  | { verdict: 'refused'; reason: string; message: string }

/** What the clients of both services take. */
type Settings = Pick<STSClientConfig & IAMClientConfig, 'requestHandler' | 'retryStrategy' | 'endpoint'>

/**
 * Assumes the role in every region that is used, and reads what the role says of itself. Nothing is tried that has to
 * fail, such as another external id: owners watch for refused attempts in the trail of calls.
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
    if (!(error instanceof CloudRefusal)) throw error
    return { verdict: 'refused', reason: error.reason, message: error.message }
  }
}

async function ownTags(
  settings: Settings & { region: string; credentials: Credentials },
  roleArn: string,
): Promise<{ tags?: Record<string, string> }> {
  const iam = new IAMClient(settings)
  try {
    const { Tags = [] } = await ask(() => iam.send(new ListRoleTagsCommand({ RoleName: roleArn.split('/').at(-1) })))
    return { tags: Object.fromEntries(Tags.map(({ Key = '', Value = '' }) => [Key, Value])) }
  } catch (error) {
    if (error instanceof CloudRefusal) return {} // a role that was made before it had this right
    throw error
  }
}
