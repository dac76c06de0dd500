/** What differs between the partitions of the cloud: worlds of their own, with their own names and sign-ins. */
type Partition = {
  /** How its regions begin. */
  regions: RegExp
  /** The region that has been there from the beginning. */
  home: string
  /** The host of the web console for a region. */
  console: (region: string) => string
  /** What the hosts of its services end in. */
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

/** The address of a page of the web console of a region. `path` may name a query and a place in the page. */
export const consoleUrl = (region: string, path: string): string =>
  `https://${ofRegion(region).console(region)}/${path}`

/** A region in which what belongs to no region of the ARN's partition can be asked for. */
export const homeRegionOf = (arn: string): string => ofArn(arn).home

/** The same for a region of the partition. */
export const homeRegionBeside = (region: string): string => ofRegion(region).home

/** What the hosts of services end in, in the partition of an ARN. */
export const domainOf = (arn: string): string => ofArn(arn).domain
