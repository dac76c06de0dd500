import { Type } from 'typebox'
import { decisionsIncluded } from '../../delivery/decision.ts'
import {
  CreatePipelineRun,
  PipelineRun,
  PipelineRunStatus,
  pipelineRunStatuses,
  RetryPipelineRun,
  retriesIncluded,
  runNumberIncluded,
} from '../../pipelines/pipeline-run.ts'
import { dataOf } from '../../values/envelope.ts'
import { Id, IdParams } from '../../values/ids.ts'
import { dataWith, includeOf, listWith } from '../../values/include.ts'
import { pageParams } from '../../values/list.ts'
import type { RouteTable } from '../route.ts'

export const pipelineRunRoutes = {
  createPipelineRun: {
    operationId: 'createPipelineRun',
    method: 'POST',
    path: '/pipeline-runs',
    tag: 'PipelineRuns',
    summary: 'Create a run of a pipeline',
    permission: 'pipeline-runs:write',
    on: { body: { pipelineId: 'pipelines' } },
    body: dataOf(CreatePipelineRun),
    response: [201, dataOf(PipelineRun)],
    errors: [
      'referenceNotFound',
      'pipelineHasNoVersion',
      'pipelineVersionMismatch',
      'runInputInvalid',
      'runTemplateFailed',
      'runPlaceUnknown',
      'previewInProduction',
      'runGroupBusy',
    ],
  },
  listPipelineRuns: {
    operationId: 'listPipelineRuns',
    method: 'GET',
    path: '/pipeline-runs',
    tag: 'PipelineRuns',
    summary: 'List pipeline runs',
    permission: 'pipeline-runs:read',
    query: Type.Object(
      {
        ...pageParams,
        pipelineId: Type.Optional(Id),
        status: Type.Optional(
          Type.Array(PipelineRunStatus, {
            maxItems: pipelineRunStatuses.length,
            description: 'Filters by status. Repeat the parameter to allow several statuses.',
          }),
        ),
        ...includeOf('number'),
      },
      { additionalProperties: false },
    ),
    response: [200, listWith(PipelineRun, runNumberIncluded)],
    errors: ['cursorInvalid'],
  },
  getPipelineRun: {
    operationId: 'getPipelineRun',
    method: 'GET',
    path: '/pipeline-runs/{id}',
    tag: 'PipelineRuns',
    summary: 'Get a pipeline run',
    permission: 'pipeline-runs:read',
    params: IdParams,
    query: Type.Object(includeOf('decisions', 'number', 'retries'), { additionalProperties: false }),
    response: [200, dataWith(PipelineRun, { ...decisionsIncluded, ...runNumberIncluded, ...retriesIncluded })],
    errors: ['pipelineRunNotFound'],
  },
  cancelPipelineRun: {
    operationId: 'cancelPipelineRun',
    method: 'POST',
    path: '/pipeline-runs/{id}/cancel',
    tag: 'PipelineRuns',
    summary: 'Cancel a pipeline run that has not finished',
    permission: 'pipeline-runs:write',
    on: { params: { id: 'pipeline-runs' } },
    params: IdParams,
    response: [200, dataOf(PipelineRun)],
    errors: ['pipelineRunNotFound', 'pipelineRunOver'],
  },
  retryPipelineRun: {
    operationId: 'retryPipelineRun',
    method: 'POST',
    path: '/pipeline-runs/{id}/retry',
    tag: 'PipelineRuns',
    summary: 'Retry the unsuccessful steps of a failed or cancelled run',
    permission: 'pipeline-runs:write',
    on: { params: { id: 'pipeline-runs' } },
    params: IdParams,
    body: Type.Object(
      { data: Type.Optional(RetryPipelineRun) },
      { additionalProperties: false, description: 'Optional. Without a body, no step is skipped.' },
    ),
    response: [201, dataOf(PipelineRun)],
    errors: [
      'pipelineRunNotFound',
      'pipelineRunNotRetriable',
      'pipelineRunRetried',
      'pipelineRunOutdated',
      'moduleInstanceDestroyed',
      'stepNotSkippable',
      'runInputInvalid',
      'runTemplateFailed',
      'runPlaceUnknown',
      'previewInProduction',
      'runGroupBusy',
    ],
  },
} as const satisfies RouteTable
