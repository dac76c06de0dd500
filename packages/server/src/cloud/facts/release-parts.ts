/** CPU architectures of an image, named as in image configurations, or that the image does not exist. */
export type ImageReading =
  | { architectures: string[] }
  /** `mayBeFetched`: a pull-through cache rule covers the repository. Undefined if the rules could not be read. */
  | { isMissing: true; mayBeFetched?: boolean }

/** Services that can assume a role, or that the role does not exist. */
export type RoleReading = { trustedServices: string[] } | { isMissing: true }

/** Action that a release requires on a resource, with the condition keys of the request. */
export type RequiredPermission = {
  action: string
  resource: string
  context?: Readonly<Record<string, string>>
  /** What Sluice cannot do without the permission; absent if the release itself fails without it. */
  lostWithout?: string
}

/** Required permission that the role's policies do not grant. */
export type DeniedPermission = RequiredPermission & { isExplicit: boolean }

/** Subnets and security groups in which the tasks of a service start. */
export type NetworkReading = {
  subnets: { id: string; availableIpAddressCount: number }[]
  missingSubnetIds: string[]
  missingSecurityGroupIds: string[]
}

/** Settings of a service that decide where and how many tasks a release starts. */
export type ServiceSettings = {
  isFargate: boolean
  desiredCount: number
  /** For rolling releases: maximum number of tasks, in percent of the desired count. */
  maximumPercent: number
  subnetIds: string[]
  securityGroupIds: string[]
}
