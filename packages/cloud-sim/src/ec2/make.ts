import { regionAndAccountOf, type Scope } from '../arns.ts'
import { hex } from '../ids.ts'
import type { World } from '../world.ts'
import { ec2, keyIn } from './state.ts'

/** Network to create in an account. */
export interface NetworkOptions {
  id: string
  name?: string
  cidr: string
  isDefault?: boolean
  subnets: SubnetOptions[]
  securityGroups: { id: string; name: string; description: string }[]
}

export interface SubnetOptions {
  id: string
  name?: string
  cidr: string
  /** Letter of its availability zone. */
  zone: string
  isPublic: boolean
  taken?: number
}

/** Creates the region's default network with public subnets ("Default VPCs", read 2026-11), if missing. */
export function needDefaultNetwork(world: World, scope: Scope): void {
  const present = ec2(world).vpcs.having('scope', scope)
  if (present.some(({ isDefault }) => isDefault)) return
  const subnets = ['a', 'b', 'c'].map((zone, index) => ({
    id: `subnet-${hex(17)}`,
    cidr: `172.31.${index * 16}.0/20`,
    zone,
    isPublic: true,
  }))
  const securityGroups = [{ id: `sg-${hex(17)}`, name: 'default', description: 'default VPC security group' }]
  makeNetwork(world, scope, { id: `vpc-${hex(17)}`, cidr: '172.31.0.0/16', isDefault: true, subnets, securityGroups })
}

/**
 * Creates a network. Private subnets use the main route table, public ones a separate table; in a default network all
 * are public.
 */
export function makeNetwork(world: World, scope: Scope, wish: NetworkOptions): void {
  const { vpcs, subnets, securityGroups, routeTables } = ec2(world)
  const { id: vpcId, name, cidr, isDefault = false } = wish
  const keyed = (id: string) => ({ key: keyIn(scope, id), scope, id, vpcId })
  const { vpcId: _, ...vpc } = keyed(vpcId)
  vpcs.save({ ...vpc, cidr, isDefault, ...(name !== undefined && { name }) })
  for (const { zone, isPublic, taken = 0, ...subnet } of wish.subnets) {
    subnets.save({
      ...keyed(subnet.id),
      ...subnet,
      zone: regionAndAccountOf(scope).region + zone,
      givesPublicAddresses: isPublic,
      isDefault,
      taken,
    })
  }
  for (const group of wish.securityGroups) securityGroups.save({ ...keyed(group.id), ...group })
  for (const old of routeTables.having('scope', scope).filter((one) => one.vpcId === vpcId)) routeTables.remove(old)
  const gateway = `igw-${hex(17)}`
  const main = { ...keyed(`rtb-${hex(17)}`), isMain: true, subnetIds: [] }
  const open = wish.subnets.filter(({ isPublic }) => isPublic).map(({ id }) => id)
  if (isDefault) routeTables.save({ ...main, wayOut: gateway })
  else {
    routeTables.save({ ...main, wayOut: `nat-${hex(17)}` })
    routeTables.save({ ...keyed(`rtb-${hex(17)}`), isMain: false, subnetIds: open, wayOut: gateway })
  }
}
