import { expect, test } from 'vitest'
import { fromNetwork } from '../instances/inputs/from-network.ts'
import { afterChange, networkIn, networkInputs } from './network-inputs.ts'

const network = {
  ...{ cloudAccountId: 'ca_1', region: 'eu-west-1', network: 'vpc-0a' },
  ...{ subnets: ['subnet-0a', 'subnet-0b'], securityGroups: ['sg-0a'] },
}
const values = fromNetwork(networkInputs, network)

test('the form of a network says the network that it was opened with', () => {
  expect(networkIn(values)).toEqual(network)
  expect(networkIn({})).toEqual({ cloudAccountId: '', region: '', network: '', subnets: [], securityGroups: [] })
})

test('what was in another account, region or network goes with it', () => {
  const { cloud_account_id, cloud_region } = values
  expect(afterChange(values, { ...values, cloud_region: 'eu-central-1' })).toEqual({
    ...{ cloud_account_id, cloud_region: 'eu-central-1' },
  })
  expect(afterChange(values, { ...values, vpc_id: 'vpc-0b' })).toEqual({
    ...{ cloud_account_id, cloud_region, vpc_id: 'vpc-0b' },
  })
  const fewer = { ...values, subnet_ids: ['subnet-0b'] }
  expect(afterChange(values, fewer)).toEqual(fewer)
})
