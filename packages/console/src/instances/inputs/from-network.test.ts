import { expect, test } from 'vitest'
import { fromNetwork } from './from-network.ts'

const network = {
  ...{ cloudAccountId: 'ca_1', region: 'eu-west-1', network: 'vpc-0a' },
  ...{ subnets: ['subnet-0a'], securityGroups: [] },
}
const input = (id: string, more: object = {}) => ({ id, label: id, type: 'string', ...more })

test('a new instance is given what its module asks for, and nothing where there is nothing', () => {
  const inputs = ['cloud_account_id', 'cloud_region', 'subnet_ids', 'security_group_ids', 'name'].map((id) => input(id))
  expect(fromNetwork(inputs, network)).toEqual({
    ...{ cloud_account_id: 'ca_1', cloud_region: 'eu-west-1', subnet_ids: ['subnet-0a'] },
  })
  expect(fromNetwork(inputs, undefined)).toEqual({})
})

test('what a reference to another instance fills is left to it', () => {
  const inputs = [input('network_id', { mapped_inputs: [input('subnet_ids')] })]
  expect(fromNetwork(inputs, network)).toEqual({})
})
