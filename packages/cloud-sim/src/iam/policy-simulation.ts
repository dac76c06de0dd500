import type { Caller } from '../callers.ts'
import { CloudError } from '../errors.ts'
import { identities } from '../identities.ts'
import { evaluateRolePolicy } from '../rights/authorize.ts'
import type { Verdict } from '../rights/policy.ts'
import type { World } from '../world.ts'

interface Input {
  PolicySourceArn?: string
  ActionNames?: string[]
  ResourceArns?: string[]
  ContextEntries?: { ContextKeyName?: string; ContextKeyValues?: string[] }[]
}

const decisions: Record<Verdict, string> = {
  allowed: 'allowed',
  denied: 'explicitDeny',
  'not allowed': 'implicitDeny',
}

/** Evaluates a role's policy for each action on each resource with these condition keys. */
export function simulatePrincipalPolicy(world: World, { accountId, region }: Caller, input: Input) {
  const { PolicySourceArn = '', ActionNames = [], ResourceArns = ['*'], ContextEntries = [] } = input
  const role = identities(world).roles.get(PolicySourceArn)
  if (!role || PolicySourceArn.split(':')[4] !== accountId) {
    throw new CloudError('NoSuchEntity', `The role with ARN ${PolicySourceArn} cannot be found.`, 404)
  }
  const context = Object.fromEntries(
    ContextEntries.map(({ ContextKeyName = '', ContextKeyValues = [] }) => [ContextKeyName, ContextKeyValues[0] ?? '']),
  )
  const EvaluationResults = ActionNames.flatMap((action) =>
    ResourceArns.map((resource) => ({
      EvalActionName: action,
      EvalResourceName: resource,
      EvalDecision: decisions[evaluateRolePolicy(world, role.key, { action, resource, context }, region)],
      MatchedStatements: [],
      MissingContextValues: [],
    })),
  )
  return { EvaluationResults, IsTruncated: false }
}
