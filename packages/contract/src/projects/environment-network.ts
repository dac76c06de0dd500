import { type Static, Type } from 'typebox'
import { CloudRegion } from '../cloud/cloud-account.ts'
import { NetworkId, SecurityGroupId, SubnetId } from '../cloud/network.ts'
import { Id } from '../values/ids.ts'

const closed = { additionalProperties: false } as const

/** More than a service may name. */
const most = 50

export const DefaultNetwork = Type.Object(
  {
    cloudAccountId: { ...Id, description: 'The connected account that the network is in.' },
    region: CloudRegion,
    network: NetworkId,
    subnets: Type.Array(SubnetId, { maxItems: most, uniqueItems: true, description: 'Where services are placed.' }),
    securityGroups: Type.Array(SecurityGroupId, {
      maxItems: most,
      uniqueItems: true,
      description: 'What services are reached through.',
    }),
  },
  { ...closed, description: 'Where services of an environment are placed unless somebody says otherwise.' },
)
export type DefaultNetwork = Static<typeof DefaultNetwork>

export const EnvironmentNetwork = Type.Object(
  { default: Type.Optional(DefaultNetwork) },
  { ...closed, description: 'The default network of an environment; empty where it has none.' },
)
export type EnvironmentNetwork = Static<typeof EnvironmentNetwork>
