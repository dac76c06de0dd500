import { GetRoleCommand, type IAMClient, SimulatePrincipalPolicyCommand } from '@aws-sdk/client-iam'
import type { DeniedPermission, RequiredPermission, RoleReading } from '../facts/release-parts.ts'
import { CloudPermanentError, callCloud } from './cloud-call.ts'

type TrustStatement = { Effect?: string; Action?: string | string[]; Principal?: '*' | { Service?: string | string[] } }

/** Reads which services a role of the account trusts. */
export async function readRole(iam: IAMClient, roleName: string): Promise<RoleReading> {
  try {
    const { Role } = await callCloud(() => iam.send(new GetRoleCommand({ RoleName: roleName })))
    return { trustedServices: trustedServicesIn(Role?.AssumeRolePolicyDocument) }
  } catch (error) {
    if (error instanceof CloudPermanentError && error.reason === 'NoSuchEntityException') return { isMissing: true }
    throw error
  }
}

/** The document is URL-encoded JSON ("GetRole" in the IAM API reference, read 2026-11). */
function trustedServicesIn(document = ''): string[] {
  const { Statement = [] } = JSON.parse(decodeURIComponent(document) || '{}') as {
    Statement?: TrustStatement | TrustStatement[]
  }
  return listOf(Statement)
    .filter(({ Effect, Action }) => Effect === 'Allow' && listOf(Action ?? []).some(allowsAssume))
    .flatMap(({ Principal }) => (typeof Principal === 'object' ? listOf(Principal.Service ?? []) : []))
}

const allowsAssume = (action: string): boolean => ['sts:AssumeRole', 'sts:*', '*'].includes(action)

const listOf = <T>(value: T | T[]): T[] => (Array.isArray(value) ? value : [value])

/** Evaluates the role's policies with the IAM policy simulator and returns the permissions that they do not grant. */
export async function findDeniedPermissions(
  iam: IAMClient,
  roleArn: string,
  required: readonly RequiredPermission[],
): Promise<DeniedPermission[]> {
  const denied = await Promise.all(groupsOf(required).map((group) => deniedIn(iam, roleArn, group)))
  return denied.flat()
}

type Group = { actions: string[]; resource: string; context: Readonly<Record<string, string>> }

/**
 * Groups permissions by resource and condition keys, because one simulation evaluates many actions with these in
 * common.
 */
function groupsOf(required: readonly RequiredPermission[]): Group[] {
  const groups = new Map<string, Group>()
  for (const { action, resource, context = {} } of required) {
    const key = JSON.stringify([resource, context])
    const group = groups.get(key) ?? { actions: [], resource, context }
    if (!group.actions.includes(action)) group.actions.push(action)
    groups.set(key, group)
  }
  return [...groups.values()]
}

async function deniedIn(iam: IAMClient, roleArn: string, group: Group): Promise<DeniedPermission[]> {
  const { actions, resource, context } = group
  const command = new SimulatePrincipalPolicyCommand({
    PolicySourceArn: roleArn,
    ActionNames: actions,
    ResourceArns: [resource],
    ContextEntries: Object.entries(context).map(([ContextKeyName, value]) => ({
      ContextKeyName,
      ContextKeyValues: [value],
      ContextKeyType: 'string' as const,
    })),
  })
  const { EvaluationResults = [] } = await callCloud(() => iam.send(command))
  return EvaluationResults.flatMap(({ EvalActionName: action = '', EvalDecision }) =>
    EvalDecision === 'allowed' ? [] : [{ action, resource, context, isExplicit: EvalDecision === 'explicitDeny' }],
  )
}
