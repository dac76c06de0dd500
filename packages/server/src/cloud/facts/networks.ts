/** A network as the cloud has it, with what is in it. */
export type NetworkSeen = {
  id: string
  name?: string
  cidr: string
  isDefault: boolean
  subnets: SubnetSeen[]
  securityGroups: SecurityGroupSeen[]
}

export type SubnetSeen = {
  id: string
  name?: string
  cidr: string
  zone: string
  /** Absent where its routes are not known. */
  isPublic?: boolean
  availableIpAddressCount: number
}

export type SecurityGroupSeen = { id: string; name: string; description: string }

/** Where traffic goes from the subnets of a network; the main table is for those that no other names. */
export type RoutesSeen = { networkId: string; isMain: boolean; subnetIds: string[]; leadsToInternet: boolean }

/** A list of the cloud's; not whole where it went on for longer than we follow. */
export type ListSeen<T> = { all: T[]; isComplete: boolean }

/** Whether what runs in a subnet can be reached from the internet: its routes lead out by a gateway. */
export function isPublic(tables: readonly RoutesSeen[], networkId: string, subnetId: string): boolean {
  const own = tables.find(({ subnetIds }) => subnetIds.includes(subnetId))
  const routes = own ?? tables.find((table) => table.networkId === networkId && table.isMain)
  return routes?.leadsToInternet === true
}
