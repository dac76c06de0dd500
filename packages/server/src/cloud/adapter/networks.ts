import type { EC2Client, RouteTable, Subnet, Tag } from '@aws-sdk/client-ec2'
import { present } from '../../platform/present.ts'
import {
  isPublic,
  type ObservedList,
  type ObservedNetwork,
  type ObservedRoutes,
  type ObservedSubnet,
} from '../facts/networks.ts'
import { loadEc2Module } from './machines/instances.ts'
import { readPages } from './pages.ts'

/** Maximum page sizes (API reference, read 2026-11). */
const MaxResults = 1_000
const tablesAtOnce = 100

/**
 * Maximum pages to read. Default quotas per region: 5 VPCs, 200 subnets and 200 route tables per VPC, and 2,500
 * security groups.
 */
const max = { pages: 5, tablePages: 10 }

/** Lists the networks of a region with their subnets and security groups. */
export async function readNetworks(client: EC2Client): Promise<ObservedList<ObservedNetwork>> {
  const { DescribeRouteTablesCommand, DescribeSecurityGroupsCommand, DescribeSubnetsCommand, DescribeVpcsCommand } =
    loadEc2Module()
  const vpcs = await readPages(max.pages, async (from) => {
    const { Vpcs, NextToken } = await client.send(new DescribeVpcsCommand({ MaxResults, ...from }))
    return { items: Vpcs, next: NextToken }
  })
  const subnets = await readPages(max.pages, async (from) => {
    const { Subnets, NextToken } = await client.send(new DescribeSubnetsCommand({ MaxResults, ...from }))
    return { items: Subnets, next: NextToken }
  })
  const groups = await readPages(max.pages, async (from) => {
    const { SecurityGroups, NextToken } = await client.send(new DescribeSecurityGroupsCommand({ MaxResults, ...from }))
    return { items: SecurityGroups, next: NextToken }
  })
  const tables = await readPages(max.tablePages, async (from) => {
    const command = new DescribeRouteTablesCommand({ MaxResults: tablesAtOnce, ...from })
    const { RouteTables, NextToken } = await client.send(command)
    return { items: RouteTables, next: NextToken }
  })
  // An incomplete list of route tables cannot show which subnets use the main table.
  const routes = tables.isComplete ? tables.all.map(routesOf) : undefined
  const all = vpcs.all.map(({ VpcId: id = '', CidrBlock: cidr = '', IsDefault = false, Tags }): ObservedNetwork => {
    const inside = <T extends { VpcId?: string | undefined }>(rows: T[]) => rows.filter(({ VpcId }) => VpcId === id)
    return {
      id,
      cidr,
      isDefault: IsDefault,
      ...nameIn(Tags),
      subnets: inside(subnets.all)
        .map((subnet) => subnetOf(subnet, routes))
        .sort((a, b) => a.zone.localeCompare(b.zone) || a.cidr.localeCompare(b.cidr, 'en', { numeric: true })),
      securityGroups: inside(groups.all)
        .map(({ GroupId: group = '', GroupName: name = '', Description: description = '' }) => ({
          id: group,
          name,
          description,
        }))
        .sort((a, b) => a.name.localeCompare(b.name)),
    }
  })
  const isComplete = [vpcs, subnets, groups, tables].every((list) => list.isComplete)
  return { all: all.sort(defaultFirst), isComplete }
}

const defaultFirst = (a: ObservedNetwork, b: ObservedNetwork): number =>
  Number(b.isDefault) - Number(a.isDefault) || (a.name ?? a.id).localeCompare(b.name ?? b.id)

const nameIn = (tags: Tag[] = []) => present({ name: tags.find(({ Key }) => Key === 'Name')?.Value || undefined })

const subnetOf = (subnet: Subnet, routes: readonly ObservedRoutes[] | undefined): ObservedSubnet => {
  const { SubnetId: id = '', VpcId = '', CidrBlock: cidr = '', AvailabilityZone: zone = '', Tags } = subnet
  const reach = present({ isPublic: routes && isPublic(routes, VpcId, id) })
  return { id, cidr, zone, ...nameIn(Tags), ...reach, availableIpAddressCount: subnet.AvailableIpAddressCount ?? 0 }
}

const everywhere = ['0.0.0.0/0', '::/0']

/** A route to an internet gateway makes a subnet public ("Subnet types" of the VPC guide, read 2026-11). */
const routesOf = ({ VpcId: networkId = '', Associations = [], Routes = [] }: RouteTable): ObservedRoutes => ({
  networkId,
  isMain: Associations.some(({ Main }) => Main === true),
  subnetIds: Associations.flatMap(({ SubnetId }) => SubnetId ?? []),
  leadsToInternet: Routes.some(
    ({ DestinationCidrBlock, DestinationIpv6CidrBlock, GatewayId = '', State }) =>
      GatewayId.startsWith('igw-') &&
      State === 'active' &&
      everywhere.includes(DestinationCidrBlock ?? DestinationIpv6CidrBlock ?? ''),
  ),
})
