import { type Static, Type } from 'typebox'
import { CloudRegion } from '../cloud/cloud-account.ts'
import { NetworkId, SecurityGroupId, SubnetId } from '../cloud/network.ts'
import { Id } from '../values/ids.ts'

const closed = { additionalProperties: false } as const

/** Maximum number of entries, above the limit that the cloud sets for a service. */
const maxEntries = 50

export const DefaultNetwork = Type.Object(
  {
    cloudAccountId: { ...Id, description: 'ID of the connected cloud account that contains the network.' },
    region: CloudRegion,
    network: NetworkId,
    subnets: Type.Array(SubnetId, {
      maxItems: maxEntries,
      uniqueItems: true,
      description: 'IDs of the subnets in which services run.',
    }),
    securityGroups: Type.Array(SecurityGroupId, {
      maxItems: maxEntries,
      uniqueItems: true,
      description: 'IDs of the security groups of services.',
    }),
  },
  { ...closed, description: 'Network that services of an environment use by default.' },
)
export type DefaultNetwork = Static<typeof DefaultNetwork>

export const EnvironmentNetwork = Type.Object(
  { default: Type.Optional(DefaultNetwork) },
  { ...closed, description: 'Default network of an environment. Empty if there is none.' },
)
export type EnvironmentNetwork = Static<typeof EnvironmentNetwork>
