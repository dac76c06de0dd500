import type { Change } from '@sluice/contract'
import { expect, test } from 'vitest'
import { everyCase } from '../../../../testing/every-case.ts'
import { isAffected } from './is-affected.ts'

const change = (resource: Change['resource'], id: string, belongsTo: Change['belongsTo'] = {}): Change => ({
  resource,
  id,
  belongsTo,
  changedAt: '2026-01-01T00:00:00.000Z',
})
const deployment = change('deployments', 'dep_1', {
  moduleInstanceId: 'mi_1',
  environmentId: 'env_1',
  projectId: 'prj_1',
})
const environment = change('environments', 'env_1', { projectId: 'prj_1' })
const run = change('pipeline-runs', 'run_1', { pipelineId: 'pl_1' })
const certificate = change('certificates', 'cert_1')
const hold = change('holds', 'hld_1', { environmentId: 'env_1', projectId: 'prj_1' })
const step = change('pipeline-step-executions', 'step_1', { pipelineRunId: 'run_1' })

test(
  'a change refetches every affected query',
  everyCase(
    [
      ['the record itself', ['getDeployment', { params: { id: 'dep_1' } }], deployment],
      ['every list', ['listDeployments', {}], deployment],
      ['lists that are read page by page', ['listDeployments', 'pages', 'All'], deployment],
      ['a list by status, whichever', ['listDeployments', { query: { status: ['ERROR'], limit: 5 } }], deployment],
      ['the list of its parent', ['listDeployments', { query: { moduleInstanceId: 'mi_1', limit: 20 } }], deployment],
      ['the pipeline of a run', ['getPipeline', { params: { id: 'pl_1' } }], run],
      ['the list of pipelines', ['listPipelines', { query: { limit: 100 } }], run],
      ['what runs in its project', ['listServices', { query: { projectId: 'prj_1' } }], deployment],
      ['what is held in its project', ['listServices', { query: { projectId: 'prj_1' } }], hold],
      ['the order of the environments', ['getEnvironmentOrder', { params: { id: 'prj_1' } }], environment],
      ['the domains that it proves', ['listDomains', { query: { projectId: 'prj_1', limit: 100 } }], certificate],
      ['what was changed in its project', ['listAuditEvents', { query: { projectId: 'prj_1' } }, 'pages'], hold],
      ['drift of its project', ['getAppliedFiles', { params: { id: 'prj_1' } }], hold],
      ['the inbox of the viewer', ['getInbox', {}], hold],
      ['what a step did with resources', ['listIacResources', { query: { pipelineRunId: 'run_1' } }], step],
    ],
    (_what, key, change) => {
      expect(isAffected(key as unknown[], change)).toBe(true)
    },
  ),
)

test(
  'a change does not refetch unrelated queries',
  everyCase(
    [
      ['another record', ['getDeployment', { params: { id: 'dep_2' } }], deployment],
      ['the list of another parent', ['listDeployments', { query: { moduleInstanceId: 'mi_2' } }], deployment],
      ['another collection', ['listEnvironments', { query: { limit: 100 } }], deployment],
      ['what runs in another project', ['listServices', { query: { projectId: 'prj_2' } }], deployment],
      ['another pipeline', ['getPipeline', { params: { id: 'pl_2' } }], run],
      ['who is signed in', ['whoami', {}], deployment],
      ['what is no operation', ['somethingElse'], deployment],
    ],
    (_what, key, change) => {
      expect(isAffected(key as unknown[], change)).toBe(false)
    },
  ),
)
