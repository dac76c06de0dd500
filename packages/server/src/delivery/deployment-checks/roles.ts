import type { CloudClients } from '../../cloud/adapter/access.ts'
import { readRole } from '../../cloud/adapter/role-reading.ts'
import type { RoleReading } from '../../cloud/facts/release-parts.ts'
import { readFact } from './facts.ts'
import { type CheckResult, checkFact, combined, type Finding, resultWithFindings } from './findings.ts'

/** Role that a service of the cloud assumes, and its path in the module if the module names it. */
export type AssumedRole = { roleArn: string; service: string; path?: string }

/** Checks that roles exist in the account and that the services can assume them. */
export async function checkRoles(
  { iam }: Pick<CloudClients, 'iam'>,
  roles: readonly AssumedRole[],
  account: string,
): Promise<CheckResult> {
  const checks = roles.map(async (role) => {
    const { roleArn, path } = role
    if (roleArn.split(':')[4] !== account) return resultWithFindings(foreignRole(role))
    const name = roleArn.split('/').at(-1) ?? ''
    const fact = await readFact('iam:GetRole', () => readRole(iam, name))
    return checkFact({ code: 'ROLE_MISSING', subject: `the role ${roleArn}`, path }, fact, (reading) =>
      findingsOf(role, reading),
    )
  })
  return combined(await Promise.all(checks))
}

const foreignRole = ({ roleArn, service, ...place }: AssumedRole): Finding => ({
  severity: 'ERROR',
  code: 'ROLE_NOT_PASSABLE',
  ...place,
  message: `The role ${roleArn} is in another account than the release, so it cannot be passed to ${service}.`,
  remedy: 'Use a role of the account that the module releases to.',
})

function findingsOf({ roleArn, service, ...place }: AssumedRole, reading: RoleReading): Finding[] {
  if ('isMissing' in reading) {
    const message = `The role ${roleArn} does not exist.`
    return [{ severity: 'ERROR', code: 'ROLE_MISSING', ...place, message, remedy: 'Create it, or correct its ARN.' }]
  }
  if (reading.trustedServices.includes(service)) return []
  return [
    {
      severity: 'ERROR',
      code: 'ROLE_NOT_TRUSTED',
      ...place,
      message: `The role ${roleArn} does not trust ${service}, so the service cannot assume it.`,
      remedy: `Allow ${service} the action sts:AssumeRole in the trust policy of the role.`,
    },
  ]
}
