import { ApiError } from '../../platform/http/api-error.ts'
import type { Cloud } from '../adapter/access.ts'
import { CloudPermanentError, CloudTransientError, NoCredentials } from '../adapter/cloud-call.ts'
import type { RoleRecipe } from '../adapter/roles.ts'
import type { CloudAccountRow } from './tables.ts'

/** Returns the twelve-digit account number in a role's ARN. */
export const accountNumberIn = (roleArn: string): string => roleArn.split(':').at(4) ?? ''

/**
 * Rejects a role in another account than the one connected before, because existing resources refer to that account.
 */
export function requireSameAccount({ cloudId, givenId }: CloudAccountRow, roleArn: string): void {
  const number = accountNumberIn(roleArn)
  if (cloudId === null || cloudId === number) return
  throw new ApiError(
    'cloudAccountIsAnother',
    `${givenId} is the cloud account ${cloudId}, but ${roleArn} is in ${number}. Create another cloud account for it.`,
  )
}

/** Rejects a role that denies access, is open to others, or belongs to another account than its ARN names. */
export async function requireValidRole(
  cloud: Cloud,
  { organizationId, externalId }: CloudAccountRow,
  roleArn: string,
): Promise<void> {
  const check = await withApiErrors(() => cloud.checkRole({ organizationId, roleArn, externalId }))
  switch (check.verdict) {
    case 'refused':
      throw new ApiError(
        'cloudRoleRefused',
        `The role ${roleArn} cannot be assumed. The cloud provider's error: ${check.reason}`,
      )
    case 'too-open':
      throw new ApiError(
        'cloudRoleTooOpen',
        `The role ${roleArn} can be assumed ${check.how}. Its trust policy must require the external id; the connection link has one that does.`,
      )
    case 'sound':
      if (check.accountNumber === accountNumberIn(roleArn)) return
      throw new ApiError('cloudAccountIsAnother', `The role ${roleArn} is in the cloud account ${check.accountNumber}.`)
  }
}

/** Returns what the owner of the cloud account needs to create the role. */
export function roleRecipeFor(
  cloud: Cloud,
  { externalId, givenId }: CloudAccountRow,
  { region, templateUrl }: { region: string | undefined; templateUrl: string | undefined },
): Promise<RoleRecipe> {
  return withApiErrors(() => cloud.roleRecipe({ externalId, region, templateUrl, stackName: `sluice-${givenId}` }))
}

/** Turns cloud errors into API errors, because the caller waits for the result of the call. */
async function withApiErrors<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask()
  } catch (error) {
    if (!(error instanceof CloudTransientError || error instanceof CloudPermanentError)) throw error
    if (error instanceof NoCredentials) throw new ApiError('cloudUnreachable', error.message)
    throw new ApiError(
      'cloudUnreachable',
      `The cloud provider cannot be reached. Try again later. Its error: ${error.message}`,
    )
  }
}
