import { expect, test } from 'vitest'
import { inputsFromNetwork } from './inputs-from-network.ts'

const network = {
  cloudAccountId: 'ca_1',
  region: 'eu-west-1',
  network: 'vpc-0a',
  subnets: ['subnet-0a'],
  securityGroups: [],
}
const input = (id: string, more: object = {}) => ({ id, label: id, type: 'string', ...more })

test('a new instance gets the network inputs that its module declares, and none without a network', () => {
  const inputs = ['cloud_account_id', 'cloud_region', 'subnet_ids', 'security_group_ids', 'name'].map((id) => input(id))
  expect(inputsFromNetwork(inputs, network)).toEqual({
    cloud_account_id: 'ca_1',
    cloud_region: 'eu-west-1',
    subnet_ids: ['subnet-0a'],
  })
  expect(inputsFromNetwork(inputs, undefined)).toEqual({})
})

test('an input that a reference fills is left to the reference', () => {
  const inputs = [input('network_id', { mapped_inputs: [input('subnet_ids')] })]
  expect(inputsFromNetwork(inputs, network)).toEqual({})
})
