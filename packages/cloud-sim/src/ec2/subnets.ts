import { arnIn, regionAndAccountOf } from '../arns.ts'
import type { Caller } from '../callers.ts'
import type { World } from '../world.ts'
import { type DescribableResource, type DescribeInput, selectRequestedRows, tagFilters, tagsOf } from './describing.ts'
import { needDefaultNetwork } from './make.ts'
import { ec2, type Subnet } from './state.ts'
import { zoneId } from './zones.ts'

/** Number of addresses that AWS reserves per subnet ("Subnet sizing", read 2026-11). */
const kept = 5

const available = ({ cidr, taken }: Subnet): number => 2 ** (32 - Number(cidr.split('/')[1])) - kept - taken

const kind: DescribableResource<Subnet> = {
  noun: 'subnet ID',
  notFound: 'InvalidSubnetID.NotFound',
  idOf: ({ id }) => id,
  filters: {
    ...tagFilters,
    'availability-zone': ({ zone }) => [zone],
    'availability-zone-id': ({ zone }) => [zoneId(zone)],
    'available-ip-address-count': (subnet) => [String(available(subnet))],
    'cidr-block': ({ cidr }) => [cidr],
    'default-for-az': ({ isDefault }) => [String(isDefault)],
    'map-public-ip-on-launch': ({ givesPublicAddresses }) => [String(givesPublicAddresses)],
    'owner-id': ({ scope }) => [regionAndAccountOf(scope).account],
    state: () => ['available'],
    'subnet-id': ({ id }) => [id],
    'vpc-id': ({ vpcId }) => [vpcId],
  },
}

export function describeSubnets(world: World, { scope }: Caller, input: DescribeInput & { SubnetId?: string[] }) {
  needDefaultNetwork(world, scope)
  const { items, nextToken } = selectRequestedRows(
    ec2(world).subnets.having('scope', scope),
    kind,
    input.SubnetId,
    input,
  )
  return { subnetSet: items.map(shown), nextToken }
}

const shown = (subnet: Subnet) => ({
  subnetId: subnet.id,
  subnetArn: arnIn(subnet.scope, 'ec2', `subnet/${subnet.id}`),
  vpcId: subnet.vpcId,
  ownerId: regionAndAccountOf(subnet.scope).account,
  state: 'available',
  availabilityZone: subnet.zone,
  availabilityZoneId: zoneId(subnet.zone),
  cidrBlock: subnet.cidr,
  availableIpAddressCount: available(subnet),
  defaultForAz: subnet.isDefault,
  mapPublicIpOnLaunch: subnet.givesPublicAddresses,
  assignIpv6AddressOnCreation: false,
  tagSet: tagsOf(subnet),
})
