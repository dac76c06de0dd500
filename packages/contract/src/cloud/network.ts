import { type Static, Type } from 'typebox'
import { ObservationMeta } from '../delivery/observation.ts'

const closed = { additionalProperties: false } as const

export const NetworkId = Type.String({
  pattern: '^vpc-[0-9a-z]{1,32}$',
  maxLength: 40,
  description: 'Network ID in the cloud.',
  examples: ['vpc-0a1b2c3d4e5f60718'],
})
export const SubnetId = Type.String({
  pattern: '^subnet-[0-9a-z]{1,32}$',
  maxLength: 40,
  description: 'Subnet ID in the cloud.',
  examples: ['subnet-0a1b2c3d4e5f60711'],
})
export const SecurityGroupId = Type.String({
  pattern: '^sg-[0-9a-z]{1,32}$',
  maxLength: 40,
  description: 'Security group ID in the cloud.',
  examples: ['sg-0a1b2c3d4e5f60713'],
})

const CloudName = Type.String({ description: 'Name in the cloud.' })
const Cidr = Type.String({ description: 'CIDR block.', examples: ['10.0.0.0/16'] })

export const CloudSubnet = Type.Object(
  {
    id: Type.String({ description: 'Subnet ID in the cloud.' }),
    name: Type.Optional(CloudName),
    cidr: Cidr,
    zone: Type.String({ description: 'Availability zone.', examples: ['eu-west-1a'] }),
    isPublic: Type.Optional(
      Type.Boolean({
        description: 'Whether the subnet has a route to an internet gateway. Absent if the routes are unknown.',
      }),
    ),
    availableIpAddressCount: Type.Integer({ description: 'Number of free IP addresses.' }),
  },
  { ...closed, description: 'Subnet.' },
)

export const CloudSecurityGroup = Type.Object(
  {
    id: Type.String({ description: 'Security group ID in the cloud.' }),
    name: CloudName,
    description: Type.String({ description: 'Description.' }),
  },
  { ...closed, description: 'Security group.' },
)

export const CloudNetwork = Type.Object(
  {
    id: Type.String({ description: 'Network ID in the cloud.' }),
    name: Type.Optional(CloudName),
    cidr: Cidr,
    isDefault: Type.Boolean({ description: "Whether it is the account's default network." }),
    subnets: Type.Array(CloudSubnet, { description: 'Subnets by zone.' }),
    securityGroups: Type.Array(CloudSecurityGroup, { description: 'Security groups by name.' }),
  },
  { ...closed, description: 'Network with its subnets and security groups.' },
)
export type CloudNetwork = Static<typeof CloudNetwork>

export const CloudNetworks = Type.Object(
  {
    data: Type.Array(CloudNetwork, { description: 'Networks by name, the default network first.' }),
    meta: ObservationMeta,
  },
  { ...closed, description: 'Networks in one region of a cloud account.' },
)
export type CloudNetworks = Static<typeof CloudNetworks>
