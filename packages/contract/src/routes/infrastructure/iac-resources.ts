import { Type } from 'typebox'
import {
  changeReasonsIncluded,
  changeReasonsOfRunsIncluded,
  IacChangeSummary,
  IacChangeType,
  IacExecutionSummary,
  IacResource,
  IacResourceAddress,
  iacChangeTypes,
} from '../../infrastructure/iac-resource.ts'
import { Id, IdParams } from '../../values/ids.ts'
import { dataWith, includeOf, listWith } from '../../values/include.ts'
import { listOf, pageParams, pageParamsUpTo } from '../../values/list.ts'
import type { RouteTable } from '../route.ts'

/**
 * Maximum page size. A plan can have thousands of resources, and approvers load all of them; pages of 100 take a
 * browser seconds.
 */
export const maxPageOfIacResources = 500

export const iacResourceRoutes = {
  listIacResources: {
    operationId: 'listIacResources',
    method: 'GET',
    path: '/iac-resources',
    tag: 'TerraformResources',
    summary: 'List resource changes of runs',
    permission: 'iac-resources:read',
    query: Type.Object(
      {
        ...pageParamsUpTo(maxPageOfIacResources),
        pipelineRunId: Type.Optional(Id),
        stackId: Type.Optional(Id),
        changeType: Type.Optional(
          Type.Array(IacChangeType, {
            maxItems: iacChangeTypes.length,
            description: 'Filters by change type. Repeat the parameter to allow several types.',
          }),
        ),
        address: Type.Optional(IacResourceAddress),
        ...includeOf('change-reasons'),
      },
      { additionalProperties: false },
    ),
    response: [200, listWith(IacResource, changeReasonsIncluded)],
    errors: ['cursorInvalid'],
  },
  getIacResource: {
    operationId: 'getIacResource',
    method: 'GET',
    path: '/iac-resources/{id}',
    tag: 'TerraformResources',
    summary: 'Get a resource change of a run',
    permission: 'iac-resources:read',
    params: IdParams,
    query: Type.Object(includeOf('change-reasons'), { additionalProperties: false }),
    response: [200, dataWith(IacResource, changeReasonsIncluded)],
    errors: ['iacResourceNotFound'],
  },
  getIacResourceChangeSummary: {
    operationId: 'getIacResourceChangeSummary',
    method: 'GET',
    path: '/iac-resources/{address}/change-summary',
    tag: 'TerraformResources',
    summary: 'Get the changes of a resource across the runs of a pipeline, by percent-encoded address',
    permission: 'iac-resources:read',
    params: Type.Object({ address: IacResourceAddress }, { additionalProperties: false }),
    query: Type.Object(
      {
        pipelineId: Id,
        startRunId: Type.Optional(Id),
        endRunId: Type.Optional(Id),
        ...includeOf('change-reasons'),
      },
      { additionalProperties: false },
    ),
    response: [200, dataWith(IacChangeSummary, changeReasonsOfRunsIncluded)],
    errors: ['iacResourceNotFound', 'pipelineNotFound', 'pipelineRunNotFound'],
  },
  listIacExecutionSummaries: {
    operationId: 'listIacExecutionSummaries',
    method: 'GET',
    path: '/iac-execution-summaries',
    tag: 'TerraformExecutionSummaries',
    summary: 'List the change counts of runs',
    permission: 'iac-resources:read',
    query: Type.Object(
      { ...pageParams, pipelineRunId: Type.Optional(Id), pipelineId: Type.Optional(Id) },
      { additionalProperties: false },
    ),
    response: [200, listOf(IacExecutionSummary)],
    errors: ['cursorInvalid'],
  },
} as const satisfies RouteTable
