import { arnIn, regionAndAccountOf } from '../arns.ts'
import type { Caller } from '../callers.ts'
import type { World } from '../world.ts'
import { type DescribableResource, type DescribeInput, selectRequestedRows } from './describing.ts'
import { needDefaultNetwork } from './make.ts'
import { ec2, type SecurityGroup } from './state.ts'

const kind: DescribableResource<SecurityGroup> = {
  noun: 'security group',
  notFound: 'InvalidGroup.NotFound',
  idOf: ({ id }) => id,
  filters: {
    description: ({ description }) => [description],
    'group-id': ({ id }) => [id],
    'group-name': ({ name }) => [name],
    'owner-id': ({ scope }) => [regionAndAccountOf(scope).account],
    'vpc-id': ({ vpcId }) => [vpcId],
  },
}

export function describeSecurityGroups(world: World, { scope }: Caller, input: DescribeInput & { GroupId?: string[] }) {
  needDefaultNetwork(world, scope)
  const { items, nextToken } = selectRequestedRows(
    ec2(world).securityGroups.having('scope', scope),
    kind,
    input.GroupId,
    input,
  )
  return { securityGroupInfo: items.map(shown), nextToken }
}

/** Default egress rule of a new security group. */
const everythingOut = [{ ipProtocol: '-1', ipRanges: [{ cidrIp: '0.0.0.0/0' }] }]

const shown = (group: SecurityGroup) => ({
  groupId: group.id,
  securityGroupArn: arnIn(group.scope, 'ec2', `security-group/${group.id}`),
  groupName: group.name,
  groupDescription: group.description,
  ownerId: regionAndAccountOf(group.scope).account,
  vpcId: group.vpcId,
  ipPermissions: [],
  ipPermissionsEgress: everythingOut,
})
