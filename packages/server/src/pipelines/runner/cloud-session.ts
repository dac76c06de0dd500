import type { CloudSession } from '@sluice/contract/runner-protocol'
import type { Cloud } from '../../cloud/adapter/access.ts'
import { CloudRefusal, CloudTrouble } from '../../cloud/adapter/answer.ts'
import { findCloudConnection } from '../../cloud/cloud-accounts/connection.ts'
import type { Db } from '../../platform/db/open.ts'
import type { Ordered } from './order.ts'
import { StepFailure } from './step-failure.ts'

/** Sessions belong to no region; where none is named, this one has always been there. */
const anyRegion = 'us-east-1'

/** Begins a session in the account of an order, for the hour or so that the cloud gives. */
export async function cloudSession(
  { db, cloud }: { db: Db; cloud: Cloud },
  organizationId: string,
  { order, cloudAccountId }: Ordered,
): Promise<CloudSession> {
  // A task in the account has an identity of its own there, and is given no other.
  const mayHaveSession = order.kind === 'iac' && order.hasSession
  const account = mayHaveSession && cloudAccountId && (await findCloudConnection(db, organizationId, cloudAccountId))
  if (!account) {
    const message = `There is no connected cloud account ${cloudAccountId} in this organization.`
    throw new StepFailure('iacCloudAccessFailed', message)
  }
  const region = order.region || anyRegion
  try {
    const { expiration, ...session } = await cloud.credentialsFor(account, region)
    return { ...session, expiration: expiration.toISOString() }
  } catch (error) {
    if (!(error instanceof CloudRefusal || error instanceof CloudTrouble)) throw error
    throw new StepFailure('iacCloudAccessFailed', `The role ${account.roleArn} cannot be assumed.`, {
      description: error.message,
    })
  }
}
