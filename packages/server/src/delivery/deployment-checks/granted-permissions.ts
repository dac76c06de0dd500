import type { CloudClients } from '../../cloud/adapter/access.ts'
import { findDeniedPermissions } from '../../cloud/adapter/role-reading.ts'
import type { DeniedPermission, RequiredPermission } from '../../cloud/facts/release-parts.ts'
import { readFact } from './facts.ts'
import { type CheckResult, type Finding, resultWithFindings } from './findings.ts'

/** Checks that the connected role has the permissions for a release, using the cloud's policy simulation. */
export async function checkPermissions(
  { iam }: Pick<CloudClients, 'iam'>,
  roleArn: string,
  required: readonly RequiredPermission[],
): Promise<CheckResult> {
  const fact = await readFact('iam:SimulatePrincipalPolicy', () => findDeniedPermissions(iam, roleArn, required))
  if ('value' in fact)
    return resultWithFindings(...fact.value.map((denied) => missingPermission(denied, { roleArn, required })))
  const actions = [...new Set(required.map(({ action }) => action))].toSorted()
  const { reason, remedy = 'Compare the policies of the role with this list.' } = fact.unread
  const message = `Could not check the permissions of ${roleArn}: ${reason} The release requires ${actions.join(', ')}.`
  return { findings: [], unchecked: [{ code: 'PERMISSION_MISSING', message, remedy }] }
}

type Needs = { roleArn: string; required: readonly RequiredPermission[] }

function missingPermission(
  { action, resource, context = {}, isExplicit }: DeniedPermission,
  { roleArn, required }: Needs,
): Finding {
  const lost = required.find((one) => one.action === action && one.resource === resource)?.lostWithout
  const why = isExplicit ? 'A policy denies' : 'No policy allows'
  const conditions = Object.entries(context).map(([key, value]) => ` if ${key} is ${value}`)
  const consequence = lost === undefined ? '' : ` Without it, Sluice cannot ${lost}.`
  return {
    severity: lost === undefined ? 'ERROR' : 'WARNING',
    code: action === 'iam:PassRole' ? 'ROLE_NOT_PASSABLE' : 'PERMISSION_MISSING',
    message: `${why} the connected role ${roleArn} the action ${action} on ${resource}${conditions.join('')}.${consequence}`,
    remedy: isExplicit
      ? 'Remove the denial from the policies of the role.'
      : `Grant the role ${action} on ${resource}.`,
  }
}
