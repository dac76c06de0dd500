import { expect, test } from 'vitest'
import { dependenciesIn, missingFor } from './dependencies.ts'

const version = {
  config: {
    inputs: [
      { id: 'account', label: 'Account', type: 'string' },
      { id: 'hosts', label: 'Hosts', type: 'object_array', item_inputs: [{ id: 'subnet', type: 'string' }] },
    ],
    deploy: { inputs: [{ id: 'repository', label: 'Repository', type: 'string' }] },
  },
  optionSources: [
    { input: 'module.input.hosts[].subnet', provider: 'cloud/subnets', dependsOn: ['module.input.account'] },
    {
      input: 'deploy.input.tag',
      provider: 'cloud/images',
      dependsOn: ['deploy.input.repository', 'module.input.account'],
    },
  ],
}

test('a form asks first for the inputs that the options of another input depend on', () => {
  const ofModule = dependenciesIn(version)
  expect(missingFor(ofModule, 'hosts[2].subnet', {})).toEqual([{ id: 'account', label: 'Account' }])
  expect(missingFor(ofModule, 'hosts[2].subnet', { account: 'ca_1' })).toEqual([])
  expect(missingFor(ofModule, 'account', {})).toEqual([])
  const ofDeployment = dependenciesIn(version, 'deploy')
  expect(missingFor(ofDeployment, 'tag', { account: 'ca_1', repository: '' })).toEqual([
    { id: 'repository', label: 'Repository' },
  ])
  expect(dependenciesIn({ config: {} })).toEqual(new Map())
})
