import type { Caller } from '../callers.ts'
import type { CloudError } from '../errors.ts'
import { identities } from '../identities.ts'
import type { CommonErrors } from '../wire/protocol.ts'
import type { World } from '../world.ts'
import { evaluatePolicy, type Verdict } from './policy.ts'
import type { IamPermission } from './right.ts'

/** Required permissions of a request, and the service's error format. */
export interface PermissionRequirements {
  rights: readonly IamPermission[]
  errors: CommonErrors
}

/**
 * Throws if the caller's role does not allow the operation, or denies it. Callers without a role have all permissions.
 */
export function authorize(world: World, caller: Caller, { rights, errors }: PermissionRequirements): void {
  const { roleArn } = caller
  checkPassedRoles(caller, rights, errors)
  if (roleArn === undefined) return
  for (const right of rights) {
    const verdict = evaluateRolePolicy(world, roleArn, right, caller.region)
    if (verdict !== 'allowed') throw accessDenied(caller, right, errors, verdict)
  }
}

/** Rejects passing roles of another account or partition, whatever the policies say. */
function checkPassedRoles({ arn, accountId }: Caller, rights: readonly IamPermission[], errors: CommonErrors): void {
  const [, ownPartition] = arn.split(':')
  const isForeign = ({ action, resource }: IamPermission) => {
    const [, partition, account] = /^arn:([a-z-]+):iam::(\d{12}):role\//.exec(resource) ?? []
    if (action !== 'iam:PassRole' || account === undefined) return false
    return account !== accountId || partition !== ownPartition
  }
  if (rights.some(isForeign)) throw errors.accessDenied('Cross-account pass role is not allowed.')
}

/** Evaluates a role's policy for a permission. */
export function evaluateRolePolicy(
  world: World,
  roleArn: string,
  { action, resource, context }: IamPermission,
  region: string,
): Verdict {
  const policy = identities(world).roles.get(roleArn)?.policy ?? []
  const usual = {
    'aws:PrincipalArn': roleArn,
    'aws:PrincipalAccount': roleArn.split(':')[4] ?? '',
    'aws:RequestedRegion': region,
  }
  return evaluatePolicy(policy, { action, resource, context: { ...usual, ...context } })
}

export function accessDenied(
  caller: Caller,
  { action, resource }: IamPermission,
  errors: CommonErrors,
  verdict: Verdict = 'not allowed',
): CloudError {
  const why =
    verdict === 'denied'
      ? 'with an explicit deny in an identity-based policy'
      : `because no identity-based policy allows the ${action} action`
  return errors.accessDenied(
    `User: ${caller.arn} is not authorized to perform: ${action} on resource: ${resource} ${why}`,
  )
}
