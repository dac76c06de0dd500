import { readAgents } from '../../../cloud/adapter/machines/commands.ts'
import { readGroup } from '../../../cloud/adapter/machines/groups.ts'
import type { RequiredPermission } from '../../../cloud/facts/release-parts.ts'
import { documentNameOf, type Ec2Release, releaseParameterOf } from '../../deployments/types/ec2/release.ts'
import type { CheckedAccount } from '../checked-account.ts'
import { checkExisting, existingResourceOf, readExisting } from '../existing.ts'
import { readFact } from '../facts.ts'
import { type CheckResult, checkFact, combined, passed } from '../findings.ts'
import { checkPermissions } from '../granted-permissions.ts'
import { checkImage } from '../image.ts'

const groupPath = 'deploy.infrastructure.autoscaling_group_name'

/** Checks a release to a group of instances. */
export async function checkGroup(account: CheckedAccount, release: Ec2Release): Promise<CheckResult> {
  const { clients, roleArn } = account
  const { autoScalingGroupName: name, definition, region } = release
  const group = await readExisting('autoscaling:DescribeAutoScalingGroups', ['AutoScalingGroupNotFound'], () =>
    readGroup(clients.autoScaling, name),
  )
  const known = existingResourceOf(group)
  const ids = (known?.members ?? []).map(({ instanceId }) => instanceId)
  const parts = await Promise.all([
    checkExisting(
      {
        code: 'GROUP_MISSING',
        subject: `the group ${name}`,
        path: groupPath,
        remedy: 'Create it, or correct its name.',
      },
      group,
      ({ members }) =>
        members.length > 0
          ? []
          : [
              {
                severity: 'ERROR',
                code: 'GROUP_EMPTY',
                path: groupPath,
                message: `The group ${name} has no instance to release to.`,
                remedy: 'Raise its desired capacity.',
              },
            ],
    ),
    ids.length > 0 ? checkAgents(account, ids) : passed,
    definition.runtime === 'container'
      ? checkImage(clients, { image: definition.imageUri, path: 'deploy.definition.image_uri', region })
      : passed,
    known ? checkPermissions(clients, roleArn, requiredPermissions(release, known.arn)) : passed,
  ])
  return combined(parts)
}

/** Checks that the agents of instances are online, because commands do not reach others. */
async function checkAgents({ clients }: CheckedAccount, ids: string[]): Promise<CheckResult> {
  const fact = await readFact('ssm:DescribeInstanceInformation', () => readAgents(clients.ssm, ids))
  const about = { code: 'INSTANCE_UNREACHABLE', subject: 'the agents of the instances', path: groupPath } as const
  return checkFact(about, fact, (reachable) => {
    const unreachable = ids.filter((id) => !reachable.has(id))
    if (unreachable.length === 0) return []
    return [
      {
        severity: 'WARNING',
        code: 'INSTANCE_UNREACHABLE',
        path: groupPath,
        message: `The agents of ${unreachable.length} of ${ids.length} instances are not online: ${unreachable.join(', ')}.`,
        remedy: 'Check the SSM agent and the instance profile of these instances, or replace them.',
      },
    ]
  })
}

/** Returns the permissions that the connected role needs for a release to a group of instances. */
function requiredPermissions(release: Ec2Release, groupArn: string): RequiredPermission[] {
  const [, partition, , region, account] = groupArn.split(':')
  const arn = (service: string, resource: string) => `arn:${partition}:${service}:${region}:${account}:${resource}`
  const parameter = arn('ssm', `parameter${releaseParameterOf(release)}`)
  const onAll = ['DescribeInstanceInformation', 'ListCommands', 'ListCommandInvocations', 'CancelCommand']
  return [
    { action: 'autoscaling:DescribeAutoScalingGroups', resource: '*' },
    ...onAll.map((action) => ({ action: `ssm:${action}`, resource: '*' })),
    { action: 'ssm:SendCommand', resource: arn('ssm', `document/${documentNameOf(release)}`) },
    { action: 'ssm:SendCommand', resource: arn('ec2', 'instance/*') },
    ...['GetParameter', 'PutParameter'].map((action) => ({ action: `ssm:${action}`, resource: parameter })),
  ]
}
