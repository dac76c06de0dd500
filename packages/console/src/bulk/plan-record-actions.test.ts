import type { DeploymentRecordRow } from '@sluice/contract'
import { expect, test } from 'vitest'
import { everyCase } from '../../../../testing/every-case.ts'
import { planRecordCancellation, planRecordHold } from './plan-record-actions.ts'

const row = (of: Partial<DeploymentRecordRow>): DeploymentRecordRow => ({
  deploymentId: 'dep_1',
  createdAt: '2026-01-01T00:00:00.000Z',
  moduleInstanceId: 'mi_1',
  moduleInstanceName: 'web',
  environmentId: 'env_1',
  environmentName: 'production',
  projectId: 'prj_1',
  projectName: 'Shop',
  version: '2.1.0',
  status: 'SUCCESS',
  isPaused: false,
  description: '',
  ...of,
})

test(
  'only deployments that have not ended can be cancelled',
  everyCase<[DeploymentRecordRow['status'], string, boolean]>(
    [
      ['PENDING', 'It is queued, so nothing has changed yet.', true],
      ['IN_PROGRESS', 'The previous version takes over all traffic, and the new one is stopped.', true],
      ['ROLLING_BACK', 'It is already rolling back.', false],
      ['SUCCESS', 'It has ended.', false],
      ['CANCELLED', 'It has ended.', false],
    ],
    (status, text, isPossible) => {
      const [entry] = planRecordCancellation([row({ status })])
      expect(entry).toMatchObject({ id: 'dep_1', name: 'web · production · 2.1.0', text })
      expect(entry?.run !== undefined).toBe(isPossible)
    },
  ),
)

test('a service with several deployments is held once', () => {
  const rows = [row({}), row({ deploymentId: 'dep_2' }), row({ moduleInstanceId: 'mi_2', moduleInstanceName: 'jobs' })]
  expect(planRecordHold(rows, 'why').map(({ name }) => name)).toEqual(['web · production', 'jobs · production'])
})
