import { expect, test } from 'vitest'
import { commandOf } from './command-block.ts'

const block = { container_overrides: [], timeout: 60 }
const network = { subnets: ['subnet-1'], security_groups: ['sg-1'], assign_public_ip: 'ENABLED' as const }
const asked = {
  awsvpcConfiguration: { subnets: ['subnet-1'], securityGroups: ['sg-1'], assignPublicIp: 'ENABLED' },
}

test.each([
  ['without the level that the cloud nests it in', network],
  ['as the cloud nests it', { awsvpc_configuration: network }],
])('the network of a command is written %s', (_how, network_configuration) => {
  expect(commandOf({ ...block, network_configuration }, 'app').networkConfiguration).toEqual(asked)
})

test('a command without a network uses the network of its service', () => {
  expect(commandOf(block, 'app')).not.toHaveProperty('networkConfiguration')
})
