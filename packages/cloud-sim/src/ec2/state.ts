import type { Scope } from '../arns.ts'
import type { Row } from '../store.ts'
import { state } from '../world.ts'

/** Keys are the scope and the id: the same ids may be put into several accounts. */
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
  /** Whether what starts in it gets a public address by itself. */
  givesPublicAddresses: boolean
  isDefault: boolean
  /** Of its addresses, how many are taken. */
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
  /** Where `0.0.0.0/0` leads: a gateway of the internet, one that translates addresses, or nowhere. */
  wayOut?: string
}

/** What the service for networks keeps. Of machines it knows nothing. */
export const ec2 = state((world) => {
  const scope = { scope: (row: InScope) => row.scope }
  return {
    vpcs: world.table<Vpc>('vpc', scope),
    subnets: world.table<Subnet>('subnet', scope),
    securityGroups: world.table<SecurityGroup>('security-group', scope),
    routeTables: world.table<RouteTable>('route-table', scope),
  }
})

export const keyIn = (scope: Scope, id: string): string => `${scope} ${id}`
