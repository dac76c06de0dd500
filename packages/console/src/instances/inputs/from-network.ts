import type { DefaultNetwork } from '@sluice/contract'
import { flat, type InputDefinition, type Values } from './definition.ts'

/** What inputs become, by what they are called by habit. */
const byName = {
  cloud_account_id: ({ cloudAccountId }: DefaultNetwork) => cloudAccountId,
  cloud_region: ({ region }: DefaultNetwork) => region,
  vpc_id: ({ network }: DefaultNetwork) => network,
  subnet_ids: ({ subnets }: DefaultNetwork) => subnets,
  security_group_ids: ({ securityGroups }: DefaultNetwork) => securityGroups,
}

/** What the default network of an environment gives a new instance there: those of its inputs that it names. */
export function fromNetwork(inputs: readonly InputDefinition[], network: DefaultNetwork | undefined): Values {
  if (!network) return {}
  const asked = new Set(flat(inputs).flatMap(({ id, mappedBy }) => (mappedBy === undefined ? [id] : [])))
  const given = Object.entries(byName).map(([id, read]) => [id, read(network)] as const)
  return Object.fromEntries(given.filter(([id, value]) => asked.has(id) && value.length > 0))
}
