import { expect, test } from 'vitest'
import { inputsFromNetwork } from '../instances/inputs/inputs-from-network.ts'
import { clearDependents, networkFromValues, networkInputs } from './network-inputs.ts'

const network = {
  cloudAccountId: 'ca_1',
  region: 'eu-west-1',
  network: 'vpc-0a',
  subnets: ['subnet-0a', 'subnet-0b'],
  securityGroups: ['sg-0a'],
}
const values = inputsFromNetwork(networkInputs, network)

test('the network form returns the network that it was opened with', () => {
  expect(networkFromValues(values)).toEqual(network)
  expect(networkFromValues({})).toEqual({
    cloudAccountId: '',
    region: '',
    network: '',
    subnets: [],
    securityGroups: [],
  })
})

test('changing the account, region or network clears dependent fields', () => {
  const { cloud_account_id, cloud_region } = values
  expect(clearDependents(values, { ...values, cloud_region: 'eu-central-1' })).toEqual({
    cloud_account_id,
    cloud_region: 'eu-central-1',
  })
  expect(clearDependents(values, { ...values, vpc_id: 'vpc-0b' })).toEqual({
    cloud_account_id,
    cloud_region,
    vpc_id: 'vpc-0b',
  })
  const fewer = { ...values, subnet_ids: ['subnet-0b'] }
  expect(clearDependents(values, fewer)).toEqual(fewer)
})
