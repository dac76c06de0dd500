import { type Static, Type } from 'typebox'
import { LookMeta } from '../delivery/observation.ts'

const closed = { additionalProperties: false } as const

export const NetworkId = Type.String({
  pattern: '^vpc-[0-9a-z]{1,32}$',
  maxLength: 40,
  description: 'A network, by the id that the cloud gave it.',
  examples: ['vpc-0a1b2c3d4e5f60718'],
})
export const SubnetId = Type.String({
  pattern: '^subnet-[0-9a-z]{1,32}$',
  maxLength: 40,
  description: 'A subnet, by the id that the cloud gave it.',
  examples: ['subnet-0a1b2c3d4e5f60711'],
})
export const SecurityGroupId = Type.String({
  pattern: '^sg-[0-9a-z]{1,32}$',
  maxLength: 40,
  description: 'A security group, by the id that the cloud gave it.',
  examples: ['sg-0a1b2c3d4e5f60713'],
})

const CloudName = Type.String({ description: 'What it is called in the cloud.' })
const Cidr = Type.String({ description: 'Its addresses.', examples: ['10.0.0.0/16'] })

export const CloudSubnet = Type.Object(
  {
    id: Type.String({ description: 'By the cloud.' }),
    name: Type.Optional(CloudName),
    cidr: Cidr,
    zone: Type.String({ description: 'The availability zone that it is in.', examples: ['eu-west-1a'] }),
    isPublic: Type.Optional(
      Type.Boolean({
        description: 'Whether its routes lead to the internet by a gateway; absent where the routes are not known.',
      }),
    ),
    freeAddresses: Type.Integer({ description: 'How many of its addresses are not taken.' }),
  },
  { ...closed, description: 'A subnet.' },
)

export const CloudSecurityGroup = Type.Object(
  {
    id: Type.String({ description: 'By the cloud.' }),
    name: CloudName,
    description: Type.String({ description: 'What it is for.' }),
  },
  { ...closed, description: 'A security group.' },
)

export const CloudNetwork = Type.Object(
  {
    id: Type.String({ description: 'By the cloud.' }),
    name: Type.Optional(CloudName),
    cidr: Cidr,
    isDefault: Type.Boolean({ description: 'Whether it is the one that the account has from the start.' }),
    subnets: Type.Array(CloudSubnet, { description: 'By zone.' }),
    securityGroups: Type.Array(CloudSecurityGroup, { description: 'By name.' }),
  },
  { ...closed, description: 'A network with what is in it.' },
)
export type CloudNetwork = Static<typeof CloudNetwork>

export const CloudNetworks = Type.Object(
  {
    data: Type.Array(CloudNetwork, { description: 'The default one first, then by name.' }),
    meta: LookMeta,
  },
  { ...closed, description: 'The networks of one region of a cloud account.' },
)
export type CloudNetworks = Static<typeof CloudNetworks>
