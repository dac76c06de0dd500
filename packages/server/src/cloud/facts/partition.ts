/** AWS partition. Partitions have separate accounts, regions and host names. */
type Partition = {
  /** Pattern of its region names. */
  regions: RegExp
  /** Region for requests to global services. */
  home: string
  /** Returns the web console's host for a region. */
  console: (region: string) => string
  /** Domain of its service hosts. */
  domain: string
}

// "Partitions" of the AWS Fault Isolation Boundaries paper, and `partitions.json` of botocore (read 2026-11).
const partitions: Record<string, Partition> = {
  'aws-cn': {
    regions: /^cn-/,
    home: 'cn-north-1',
    console: () => 'console.amazonaws.cn',
    domain: 'amazonaws.com.cn',
  },
  'aws-us-gov': {
    regions: /^us-gov-/,
    home: 'us-gov-west-1',
    console: () => 'console.amazonaws-us-gov.com',
    domain: 'amazonaws.com',
  },
  'aws-eusc': {
    regions: /^eusc-/,
    home: 'eusc-de-east-1',
    console: (region) => `${region}.console.amazonaws-eusc.eu`,
    domain: 'amazonaws.eu',
  },
}

const commercial: Partition = {
  regions: /./,
  home: 'us-east-1',
  console: (region) => `${region}.console.aws.amazon.com`,
  domain: 'amazonaws.com',
}

const ofRegion = (region: string): Partition =>
  Object.values(partitions).find(({ regions }) => regions.test(region)) ?? commercial

const ofArn = (arn: string): Partition => partitions[arn.split(':').at(1) ?? ''] ?? commercial

/** Returns the URL of a web console page in a region. `path` may contain a query and a fragment. */
export const consoleUrl = (region: string, path: string): string =>
  `https://${ofRegion(region).console(region)}/${path}`

/** Returns the region for global requests in the partition of an ARN. */
export const homeRegionOf = (arn: string): string => ofArn(arn).home

/** Returns the region for global requests in the partition of a region. */
export const homeRegionBeside = (region: string): string => ofRegion(region).home

/** Returns the domain of service hosts in the partition of an ARN. */
export const domainOf = (arn: string): string => ofArn(arn).domain
