/** VPC with its subnets and security groups. */
export type ObservedNetwork = {
  id: string
  name?: string
  cidr: string
  isDefault: boolean
  subnets: ObservedSubnet[]
  securityGroups: ObservedSecurityGroup[]
}

export type ObservedSubnet = {
  id: string
  name?: string
  cidr: string
  zone: string
  /** Absent if its routes are unknown. */
  isPublic?: boolean
  availableIpAddressCount: number
}

export type ObservedSecurityGroup = { id: string; name: string; description: string }

/** Route table of a network. The main table applies to subnets that no other table names. */
export type ObservedRoutes = { networkId: string; isMain: boolean; subnetIds: string[]; leadsToInternet: boolean }

/** List read from the cloud; `isComplete` is false if the page limit was reached. */
export type ObservedList<T> = { all: T[]; isComplete: boolean }

/** Reports whether a subnet is public: its route table has a route to an internet gateway. */
export function isPublic(tables: readonly ObservedRoutes[], networkId: string, subnetId: string): boolean {
  const own = tables.find(({ subnetIds }) => subnetIds.includes(subnetId))
  const routes = own ?? tables.find((table) => table.networkId === networkId && table.isMain)
  return routes?.leadsToInternet === true
}
