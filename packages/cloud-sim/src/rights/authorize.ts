import type { Caller } from '../callers.ts'
import type { CloudError } from '../errors.ts'
import { identities } from '../identities.ts'
import type { CommonErrors } from '../wire/protocol.ts'
import type { World } from '../world.ts'
import { judge, type Verdict } from './policy.ts'
import type { Right } from './right.ts'

/** What a caller asks for, with the words in which its service says no. */
export interface Asked {
  rights: readonly Right[]
  errors: CommonErrors
}

/** Throws where the caller's role does not allow the operation, or denies it. Who has no role may do everything. */
export function authorize(world: World, caller: Caller, { rights, errors }: Asked): void {
  const { roleArn } = caller
  checkPassedRoles(caller, rights, errors)
  if (roleArn === undefined) return
  for (const right of rights) {
    const verdict = verdictOn(world, roleArn, right, caller.region)
    if (verdict !== 'allowed') throw accessDenied(caller, right, errors, verdict)
  }
}

/** A role can be passed to a service by callers of its own account and partition alone, whatever their policies say. */
function checkPassedRoles({ arn, accountId }: Caller, rights: readonly Right[], errors: CommonErrors): void {
  const [, ownPartition] = arn.split(':')
  const isForeign = ({ action, resource }: Right) => {
    const [, partition, account] = /^arn:([a-z-]+):iam::(\d{12}):role\//.exec(resource) ?? []
    if (action !== 'iam:PassRole' || account === undefined) return false
    return account !== accountId || partition !== ownPartition
  }
  if (rights.some(isForeign)) throw errors.accessDenied('Cross-account pass role is not allowed.')
}

/** What the policy of a role says to a right. */
export function verdictOn(
  world: World,
  roleArn: string,
  { action, resource, context }: Right,
  region: string,
): Verdict {
  const policy = identities(world).roles.get(roleArn)?.policy ?? []
  const usual = {
    'aws:PrincipalArn': roleArn,
    'aws:PrincipalAccount': roleArn.split(':')[4] ?? '',
    'aws:RequestedRegion': region,
  }
  return judge(policy, { action, resource, context: { ...usual, ...context } })
}

export function accessDenied(
  caller: Caller,
  { action, resource }: Right,
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
