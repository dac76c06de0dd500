import {
  GetFunctionConfigurationCommand,
  GetProvisionedConcurrencyConfigCommand,
  type LambdaClient,
} from '@aws-sdk/client-lambda'
import { present } from '../../../platform/present.ts'
import type { FunctionPlace, SharingFacts, VersionIdentity } from '../../facts/lambda.ts'
import { CloudPermanentError, callCloud } from '../cloud-call.ts'

/**
 * Reads what decides whether the alias can split traffic between `running` and `next`. Without `next`, reads `$LATEST`.
 */
export async function readSharing(
  lambda: LambdaClient,
  place: FunctionPlace,
  { running, next }: { running: string; next: string | undefined },
): Promise<SharingFacts> {
  const [isProvisioned, one, other] = await Promise.all([
    isProvisionedFor(lambda, place),
    identityOf(lambda, place, running),
    identityOf(lambda, place, next),
  ])
  return present({ isProvisioned, running: one, next: other })
}

async function identityOf(
  lambda: LambdaClient,
  { functionArn: FunctionName }: FunctionPlace,
  Qualifier: string | undefined,
): Promise<VersionIdentity> {
  const command = new GetFunctionConfigurationCommand({ FunctionName, ...present({ Qualifier }) })
  const { Role: role, DeadLetterConfig } = await callCloud(() => lambda.send(command))
  return present({ role, deadLetterTarget: DeadLetterConfig?.TargetArn || undefined })
}

async function isProvisionedFor(lambda: LambdaClient, place: FunctionPlace): Promise<boolean | undefined> {
  try {
    return (await readProvisionedConcurrency(lambda, place)) !== undefined
  } catch (error) {
    // The role lacks this newer permission, and the traffic shift itself will report problems.
    if (error instanceof CloudPermanentError) return undefined
    throw error
  }
}

/** Returns the provisioned concurrency of the alias; undefined if it has none. */
export async function readProvisionedConcurrency(
  lambda: LambdaClient,
  { functionArn: FunctionName, aliasName: Qualifier }: FunctionPlace,
): Promise<number | undefined> {
  const command = new GetProvisionedConcurrencyConfigCommand({ FunctionName, Qualifier })
  try {
    return (await callCloud(() => lambda.send(command))).RequestedProvisionedConcurrentExecutions ?? 0
  } catch (error) {
    if (!(error instanceof CloudPermanentError)) throw error
    if (error.reason === 'ProvisionedConcurrencyConfigNotFoundException') return undefined
    throw error
  }
}
