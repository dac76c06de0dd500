import type { DefaultNetwork } from '@sluice/contract'
import { flattenInputs, type InputDefinition, type Values } from './definition.ts'

/** Fields of the default network by conventional input IDs. */
const byName = {
  cloud_account_id: ({ cloudAccountId }: DefaultNetwork) => cloudAccountId,
  cloud_region: ({ region }: DefaultNetwork) => region,
  vpc_id: ({ network }: DefaultNetwork) => network,
  subnet_ids: ({ subnets }: DefaultNetwork) => subnets,
  security_group_ids: ({ securityGroups }: DefaultNetwork) => securityGroups,
}

/** Returns the inputs of a new instance that the environment's default network fills. */
export function inputsFromNetwork(inputs: readonly InputDefinition[], network: DefaultNetwork | undefined): Values {
  if (!network) return {}
  const asked = new Set(flattenInputs(inputs).flatMap(({ id, mappedBy }) => (mappedBy === undefined ? [id] : [])))
  const given = Object.entries(byName).map(([id, read]) => [id, read(network)] as const)
  return Object.fromEntries(given.filter(([id, value]) => asked.has(id) && value.length > 0))
}
