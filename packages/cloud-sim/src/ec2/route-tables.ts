import { regionAndAccountOf } from '../arns.ts'
import type { Caller } from '../callers.ts'
import type { World } from '../world.ts'
import { type DescribableResource, type DescribeInput, selectRequestedRows } from './describing.ts'
import { needDefaultNetwork } from './make.ts'
import { ec2, keyIn, type RouteTable } from './state.ts'

const kind: DescribableResource<RouteTable> = {
  noun: 'routeTable ID',
  notFound: 'InvalidRouteTableID.NotFound',
  idOf: ({ id }) => id,
  filters: {
    'association.main': ({ isMain }) => [String(isMain)],
    'association.subnet-id': ({ subnetIds }) => subnetIds,
    'owner-id': ({ scope }) => [regionAndAccountOf(scope).account],
    'route-table-id': ({ id }) => [id],
    'vpc-id': ({ vpcId }) => [vpcId],
  },
}

export function describeRouteTables(
  world: World,
  { scope }: Caller,
  input: DescribeInput & { RouteTableId?: string[] },
) {
  needDefaultNetwork(world, scope)
  const { items, nextToken } = selectRequestedRows(
    ec2(world).routeTables.having('scope', scope),
    kind,
    input.RouteTableId,
    input,
  )
  return { routeTableSet: items.map((table) => shown(world, table)), nextToken }
}

/** Serializes a route table. The main table applies to unassociated subnets, which it does not list. */
function shown(world: World, { id, scope, vpcId, isMain, subnetIds, wayOut }: RouteTable) {
  const local = ec2(world).vpcs.get(keyIn(scope, vpcId))?.cidr
  const common = { state: 'active' }
  const associations = [...(isMain ? [undefined] : []), ...subnetIds].map((subnetId, index) => ({
    routeTableAssociationId: `${id.replace('rtb-', 'rtbassoc-').slice(0, -2)}${String(index).padStart(2, '0')}`,
    routeTableId: id,
    main: subnetId === undefined,
    subnetId,
    associationState: { state: 'associated' },
  }))
  const out = wayOut && { destinationCidrBlock: '0.0.0.0/0', ...gateway(wayOut), origin: 'CreateRoute', ...common }
  return {
    routeTableId: id,
    vpcId,
    ownerId: regionAndAccountOf(scope).account,
    associationSet: associations,
    routeSet: [
      { destinationCidrBlock: local, gatewayId: 'local', origin: 'CreateRouteTable', ...common },
      ...(out ? [out] : []),
    ],
  }
}

const gateway = (id: string) => (id.startsWith('nat-') ? { natGatewayId: id } : { gatewayId: id })
