import type { Scope } from '../arns.ts'
import type { Row } from '../store.ts'
import { defineState } from '../world.ts'

/** Row whose key is the scope and id, because several accounts can have the same ids. */
interface InScope extends Row {
  scope: Scope
  id: string
}

export interface Vpc extends InScope {
  name?: string
  cidr: string
  isDefault: boolean
}

export interface Subnet extends InScope {
  vpcId: string
  name?: string
  cidr: string
  zone: string
  /** Whether instances in it get a public address automatically. */
  givesPublicAddresses: boolean
  isDefault: boolean
  /** Number of addresses in use. */
  taken: number
}

export interface SecurityGroup extends InScope {
  vpcId: string
  name: string
  description: string
}

export interface RouteTable extends InScope {
  vpcId: string
  isMain: boolean
  subnetIds: string[]
  /** Target of the route `0.0.0.0/0`: an internet gateway, a NAT gateway, or none. */
  wayOut?: string
}

/** State of EC2 networks, without instances. */
export const ec2 = defineState((world) => {
  const scope = { scope: (row: InScope) => row.scope }
  return {
    vpcs: world.table<Vpc>('vpc', scope),
    subnets: world.table<Subnet>('subnet', scope),
    securityGroups: world.table<SecurityGroup>('security-group', scope),
    routeTables: world.table<RouteTable>('route-table', scope),
  }
})

export const keyIn = (scope: Scope, id: string): string => `${scope} ${id}`
