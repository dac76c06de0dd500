/** The CPU architectures that an image runs on, in the words of image configurations; or that it does not exist. */
export type ImageReading =
  | { architectures: string[] }
  /** `mayBeFetched`: a pull-through cache rule covers the repository. Undefined if the rules could not be read. */
  | { isMissing: true; mayBeFetched?: boolean }

/** A role and the services that can assume it, or that it does not exist. */
export type RoleReading = { trustedServices: string[] } | { isMissing: true }

/** An action that a release requires on a resource, with the condition keys of the request. */
export type RequiredPermission = {
  action: string
  resource: string
  context?: Readonly<Record<string, string>>
  /** What Sluice cannot do without it; absent if the release itself fails without it. */
  lostWithout?: string
}

/** A required permission that the policies of the role do not grant. */
export type DeniedPermission = RequiredPermission & { isExplicit: boolean }

/** The networks in which the tasks of a service start. */
export type NetworkReading = {
  subnets: { id: string; availableIpAddressCount: number }[]
  missingSubnetIds: string[]
  missingSecurityGroupIds: string[]
}

/** Settings of a service that decide where and how many tasks a release starts. */
export type ServiceSettings = {
  isFargate: boolean
  desiredCount: number
  /** Of a rolling release: how many tasks run at most, in percent of the desired count. */
  maximumPercent: number
  subnetIds: string[]
  securityGroupIds: string[]
}
