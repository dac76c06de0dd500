import type { DefaultNetwork } from '@sluice/contract'
import type { InputDefinition, Values } from '../instances/inputs/definition.ts'

const place = 'cloudAccountId=<< module.input.cloud_account_id >>&region=<< module.input.cloud_region >>'
const inNetwork = `${place}&networkId=<< module.input.vpc_id >>`

/** Form fields of a default network, named like the module inputs that they fill. */
export const networkInputs: readonly InputDefinition[] = [
  {
    id: 'cloud_account_id',
    label: 'Cloud account',
    type: 'string',
    required: true,
    values: '$values:service/cloud_accounts',
    no_options_message: 'Connect a cloud account first.',
  },
  {
    id: 'cloud_region',
    label: 'Region',
    type: 'string',
    required: true,
    values: '$values:cloud/regions?cloudAccountId=<< module.input.cloud_account_id >>',
  },
  { id: 'vpc_id', label: 'Network', type: 'string', required: true, values: `$values:cloud/networks?${place}` },
  {
    id: 'subnet_ids',
    label: 'Subnets',
    description: 'For services in this environment.',
    type: 'string_array',
    values: `$values:cloud/subnets?${inNetwork}`,
  },
  {
    id: 'security_group_ids',
    label: 'Security groups',
    description: 'Control which traffic reaches the services.',
    type: 'string_array',
    values: `$values:cloud/security_groups?${inNetwork}`,
  },
]

/** Maps fields of the default network to module inputs. */
export const inputByNetworkField: Readonly<Record<keyof DefaultNetwork, string>> = {
  cloudAccountId: 'cloud_account_id',
  region: 'cloud_region',
  network: 'vpc_id',
  subnets: 'subnet_ids',
  securityGroups: 'security_group_ids',
}

/** Returns the network from form values. */
export const networkFromValues = (values: Values): DefaultNetwork => ({
  cloudAccountId: textIn(values.cloud_account_id),
  region: textIn(values.cloud_region),
  network: textIn(values.vpc_id),
  subnets: textsIn(values.subnet_ids),
  securityGroups: textsIn(values.security_group_ids),
})

const textIn = (value: unknown): string => (typeof value === 'string' ? value.trim() : '')
const textsIn = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : [])

const chain = [['cloud_account_id', 'cloud_region'], ['vpc_id'], ['subnet_ids', 'security_group_ids']] as const

/** Clears dependent fields after a change of account, region or network. */
export function clearDependents(before: Values, after: Values): Values {
  const changed = chain.findIndex((ids) => ids.some((id) => before[id] !== after[id]))
  const gone: readonly string[] = changed === -1 ? [] : chain.slice(changed + 1).flat()
  return Object.fromEntries(Object.entries(after).filter(([id]) => !gone.includes(id)))
}
