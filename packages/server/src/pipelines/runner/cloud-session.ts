import type { CloudSession } from '@sluice/contract/runner-protocol'
import type { Cloud } from '../../cloud/adapter/access.ts'
import { CloudPermanentError, CloudTransientError } from '../../cloud/adapter/cloud-call.ts'
import { retryTransient } from '../../cloud/adapter/retry-transient.ts'
import { type ConnectedAccount, findCloudConnection } from '../../cloud/cloud-accounts/connection.ts'
import type { Db } from '../../platform/db/open.ts'
import { isOfPreview } from '../pipeline-runs/of-preview.ts'
import type { PipelineStepExecutionRow } from '../pipelines/tables.ts'
import type { Ordered } from './order.ts'
import { StepFailure } from './step-failure.ts'

/** Default region; sessions do not depend on it. */
const anyRegion = 'us-east-1'

/** Creates a session in the cloud account of an attempt, for about one hour. */
export async function cloudSession(
  { db, cloud }: { db: Db; cloud: Cloud },
  step: Pick<PipelineStepExecutionRow, 'organizationId' | 'pipelineRunId'>,
  { order, cloudAccountId }: Ordered,
): Promise<CloudSession> {
  const { organizationId } = step
  // A task in the account has its own identity there, and gets no other.
  const mayHaveSession = order.kind === 'iac' && order.hasSession
  const account = mayHaveSession && cloudAccountId && (await findCloudConnection(db, organizationId, cloudAccountId))
  if (!account) {
    const message = `There is no connected cloud account ${cloudAccountId} in this organization.`
    throw new StepFailure('iacCloudAccessFailed', message)
  }
  if (account.isProduction) await rejectToPreview(db, step, account)
  const region = order.region || anyRegion
  try {
    const { expiration, ...session } = await retryTransient(() => cloud.credentialsFor(account, region))
    return { ...session, expiration: expiration.toISOString() }
  } catch (error) {
    if (!(error instanceof CloudPermanentError || error instanceof CloudTransientError)) throw error
    throw new StepFailure('iacCloudAccessFailed', `The role ${account.roleArn} cannot be assumed.`, {
      description: error.message,
    })
  }
}

async function rejectToPreview(
  db: Db,
  { organizationId, pipelineRunId }: Pick<PipelineStepExecutionRow, 'organizationId' | 'pipelineRunId'>,
  { id }: ConnectedAccount,
): Promise<void> {
  if (!(await isOfPreview(db, organizationId, pipelineRunId))) return
  const message = `The cloud account ${id} is marked as production: no preview environment reaches into it.`
  throw new StepFailure('iacCloudAccessFailed', message)
}
