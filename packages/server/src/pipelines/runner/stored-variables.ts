import type { Cloud } from '../../cloud/adapter/access.ts'
import { CloudPermanentError, CloudTransientError } from '../../cloud/adapter/cloud-call.ts'
import { retryTransient } from '../../cloud/adapter/retry-transient.ts'
import { readStoredValue, type StoredValueRef } from '../../cloud/adapter/stored-values.ts'
import { findCloudConnection } from '../../cloud/cloud-accounts/connection.ts'
import type { Db } from '../../platform/db/open.ts'
import type { KeptVariable } from '../pipeline-versions/config/source.ts'
import { StepFailure } from './step-failure.ts'

/** Stored variables of a cloud account, and their location. */
export type StoredVariablesLocation = {
  kept?: Record<string, KeptVariable>
  cloudAccountId: string | undefined
  region: string | undefined
}

/** Default region, kept for compatibility. */
const anyRegion = 'us-east-1'

/**
 * Reads the variables that are stored in the cloud account. They are used for this attempt alone and not stored.
 * @throws {StepFailure} iacCloudAccessFailed, with the missing permission
 */
export async function readStoredVariables(
  { db, cloud }: { db: Db; cloud: Cloud },
  organizationId: string,
  { kept = {}, cloudAccountId, region = anyRegion }: StoredVariablesLocation,
): Promise<Record<string, string>> {
  const wanted = Object.entries(kept)
  if (wanted.length === 0) return {}
  const account = cloudAccountId && (await findCloudConnection(db, organizationId, cloudAccountId))
  if (!account) {
    throw failure(`There is no connected cloud account ${cloudAccountId} in this organization.`)
  }
  const found = await Promise.all(
    wanted.map(async ([name, variable]) => {
      const place = placeOf(variable)
      const where = `${place.in === 'parameters' ? 'parameter' : 'secret'} ${place.name} in ${region}`
      const read = () => readStoredValue(cloud.clientsFor(account, region), place)
      const value = await retryTransient(read).catch((error) => {
        if (!(error instanceof CloudPermanentError || error instanceof CloudTransientError)) throw error
        throw failure(`The variable ${name} cannot be read: the ${where} of ${cloudAccountId}.`, error.message)
      })
      if (value !== undefined) return [name, value] as const
      throw failure(`The variable ${name} has no value: there is no ${where} of ${cloudAccountId}.`)
    }),
  )
  return Object.fromEntries(found)
}

const placeOf = (variable: KeptVariable): StoredValueRef =>
  'from_parameter_store' in variable
    ? { in: 'parameters', name: variable.from_parameter_store }
    : { in: 'secrets', name: variable.from_secrets_manager }

const failure = (message: string, description?: string) =>
  new StepFailure('iacCloudAccessFailed', message, description === undefined ? {} : { description })
