import type { Deployment } from '@sluice/contract'
import { expect, test } from 'vitest'
import { everyCase } from '../../../../testing/every-case.ts'
import { deploymentResult } from './deployment-result.ts'

const definition = (tag: string) => ({
  arn: tag,
  revision: 1,
  definition: { containerDefinitions: [{ image: `shop/web:${tag}` }] },
})

const deployment = (change: Partial<Deployment>, [version, before]: [string, string]): Deployment => ({
  id: 'dep_1',
  createdAt: '2026-01-01T00:00:00Z',
  updatedAt: '2026-01-01T00:00:00Z',
  organizationId: 'org_1',
  projectId: 'prj_1',
  environmentId: 'env_1',
  moduleInstanceId: 'mi_1',
  description: '',
  status: 'SUCCESS',
  deploymentType: 'cloud:ecs',
  triggerSource: 'API',
  data: {
    type: 'cloud:ecs',
    clusterArn: 'c',
    serviceArn: 's',
    deployedTaskDefinition: definition(version),
    previousTaskDefinition: definition(before),
  },
  ...change,
})

test(
  'the result of a failed deployment names both releases',
  everyCase<[string, Partial<Deployment>, [string, string], ReturnType<typeof deploymentResult>]>(
    [
      ['failed and rolled back', { status: 'ROLLED_BACK' }, ['2.2.0', '2.0.0'], { words: 'Rolled back 2.2.0 → 2.0.0' }],
      [
        'that went back',
        { rollbackToDeploymentId: 'dep_0' },
        ['2.0.0', '2.2.0'],
        { words: 'Rolled back 2.2.0 → 2.0.0' },
      ],
      [
        'that found the old version back',
        { rollbackToDeploymentId: 'dep_0' },
        ['2.0.0', '2.0.0'],
        { words: 'Rolled back to 2.0.0' },
      ],
      ['that just succeeded', {}, ['2.2.0', '2.0.0'], undefined],
      [
        'that gave way',
        { status: 'CANCELLED', error: { code: 'x', message: 'm', metadata: { supersededByDeploymentId: 'dep_2' } } },
        ['2.2.0', '2.0.0'],
        { words: 'Superseded by a newer deployment', deploymentId: 'dep_2' },
      ],
    ],
    (_what, change, versions, expected) => {
      expect(deploymentResult(deployment(change, versions))).toEqual(expected)
    },
  ),
)
