import { regionAndAccountOf } from '../arns.ts'
import type { Caller } from '../callers.ts'
import type { World } from '../world.ts'
import { type DescribableResource, type DescribeInput, selectRequestedRows, tagFilters, tagsOf } from './describing.ts'
import { needDefaultNetwork } from './make.ts'
import { ec2, type Vpc } from './state.ts'

const kind: DescribableResource<Vpc> = {
  noun: 'vpc ID',
  notFound: 'InvalidVpcID.NotFound',
  idOf: ({ id }) => id,
  filters: {
    ...tagFilters,
    cidr: ({ cidr }) => [cidr],
    'is-default': ({ isDefault }) => [String(isDefault)],
    'owner-id': ({ scope }) => [regionAndAccountOf(scope).account],
    state: () => ['available'],
    'vpc-id': ({ id }) => [id],
  },
}

export function describeVpcs(world: World, { scope }: Caller, input: DescribeInput & { VpcId?: string[] }) {
  needDefaultNetwork(world, scope)
  const { items, nextToken } = selectRequestedRows(ec2(world).vpcs.having('scope', scope), kind, input.VpcId, input)
  return { vpcSet: items.map(shown), nextToken }
}

const shown = (vpc: Vpc) => ({
  vpcId: vpc.id,
  ownerId: regionAndAccountOf(vpc.scope).account,
  state: 'available',
  cidrBlock: vpc.cidr,
  cidrBlockAssociationSet: [
    {
      cidrBlock: vpc.cidr,
      associationId: vpc.id.replace('vpc', 'vpc-cidr-assoc'),
      cidrBlockState: { state: 'associated' },
    },
  ],
  instanceTenancy: 'default',
  isDefault: vpc.isDefault,
  tagSet: tagsOf(vpc),
})
