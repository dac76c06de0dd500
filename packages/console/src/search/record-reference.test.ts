import type { RecordDescription } from '@sluice/contract'
import { expect, test } from 'vitest'
import { everyCase } from '../../../../testing/every-case.ts'
import { hitOfRecord, isRecordReference } from './record-reference.ts'

test(
  'an ID or ARN is looked up as one record',
  everyCase(
    [
      'arn:aws:ecs:eu-west-1:111122223333:service/shop/web',
      'dep_01jx0000000000000000000000',
      'run_01jx0000000000000000000000',
      'Ada@example.com',
    ],
    (text) => expect(isRecordReference(text)).toBe(true),
  ),
)

test(
  'other text is searched for',
  everyCase(
    ['', 'web', 'web production', 'release web', 'arn:', 'web_1', 'arn:aws:s3:::shop and more', '@web', 'web@'],
    (text) => expect(isRecordReference(text)).toBe(false),
  ),
)

const record = (type: RecordDescription['type'], links: Record<string, string> = {}): RecordDescription => ({
  type,
  id: 'x_1',
  name: 'x',
  path: `/${type}/x_1`,
  createdAt: '',
  updatedAt: '',
  links: Object.entries(links).map(([relation, id]) => ({ relation, path: `/${relation}/${id}`, id })),
})

test(
  'each type of record opens on its own page',
  everyCase(
    [
      [record('module-instances'), '/console/instances/$id', 'x_1'],
      [record('deployments'), '/console/deployments/$id', 'x_1'],
      [record('pipelines'), '/console/pipelines/$id', 'x_1'],
      [record('pipeline-runs'), '/console/runs/$id', 'x_1'],
      [record('projects'), '/console/projects/$id', 'x_1'],
      [record('memberships'), '/console/settings/members', undefined],
      [record('service-accounts'), '/console/settings/service-accounts', undefined],
      [record('cloud-accounts'), '/console/settings/cloud-accounts', undefined],
      [record('environments', { project: 'prj_1' }), '/console/projects/$id', 'prj_1'],
      [record('pipeline-step-executions', { pipelineRun: 'run_1' }), '/console/runs/$id', 'run_1'],
      [record('iac-resources', { moduleInstance: 'mi_1', pipelineRun: 'run_1' }), '/console/instances/$id', 'mi_1'],
      [record('iac-resources', { pipelineRun: 'run_1' }), '/console/runs/$id', 'run_1'],
      [record('stacks', { moduleInstance: 'mi_1', project: 'prj_1' }), '/console/instances/$id', 'mi_1'],
      [record('stacks', { latestApply: 'run_1', project: 'prj_1' }), '/console/runs/$id', 'run_1'],
      [record('stacks', { project: 'prj_1' }), '/console/projects/$id', 'prj_1'],
    ],
    (described, to, id) => {
      expect(hitOfRecord(described).to).toMatchObject({ to, ...(id !== undefined && { params: { id } }) })
    },
  ),
)
