import type { DeploymentDifference } from '@sluice/contract'
import { expect, test } from 'vitest'
import { everyCase } from '../../../../testing/every-case.ts'
import { describeUnknown, groupDifferences } from './difference-groups.ts'

test(
  'a difference is named and grouped by what it means',
  everyCase(
    [
      ['VERSION', '', 'Version', { name: 'Version' }],
      ['SOURCE', 'author', 'Commit', { name: 'Author' }],
      ['IMAGE', 'containerDefinitions.app.image', 'Images', { name: 'image', part: 'app' }],
      [
        ...(['RELEASE', 'containerDefinitions.app.environment.MODE'] as const),
        ...(['Environment variables', { name: 'MODE', part: 'app' }] as const),
      ],
      [
        ...(['RELEASE', 'containerDefinitions.app.secrets.DATABASE_URL'] as const),
        ...(['Secret references', { name: 'DATABASE_URL', part: 'app' }] as const),
      ],
      ['RELEASE', 'containerDefinitions.app.cpu', 'Release settings', { name: 'cpu', part: 'app' }],
      ['RELEASE', 'memory', 'Release settings', { name: 'memory' }],
      ['INSTANCE_INPUT', 'replicas', 'Configuration of the service', { name: 'replicas' }],
      ['DEPLOYMENT_INPUT', 'image', 'Inputs of the deployment', { name: 'image' }],
      ['MODULE_VERSION', '', 'Module version', { name: 'Module version' }],
    ],
    (of, path, title, name) =>
      expect(groupDifferences([{ of: of as DeploymentDifference['of'], path, before: 1, after: 2 }])).toMatchObject([
        { title, settings: [{ ...name, before: 1, after: 2 }] },
      ]),
  ),
)

test('a secret has no values', () => {
  const path = 'containerDefinitions.app.environment.API_TOKEN'
  expect(groupDifferences([{ of: 'RELEASE', path, isSecret: true }])).toEqual([
    {
      title: 'Environment variables',
      settings: [{ name: 'API_TOKEN', part: 'app', isSecret: true, before: undefined, after: undefined }],
    },
  ])
})

test('groups are in the order of their relevance', () => {
  const found = groupDifferences([
    { of: 'RELEASE', path: 'memory', before: '512', after: '1024' },
    { of: 'VERSION', path: '', before: '1.0.0', after: '2.0.0' },
  ])
  expect(found.map(({ title }) => title)).toEqual(['Version', 'Release settings'])
})

test('aspects without a record are named', () => {
  expect(describeUnknown(['SOURCE', 'INSTANCE_INPUT'])).toBe('commit, configuration of the service')
})
