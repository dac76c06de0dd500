import { Type } from 'typebox'
import { CreatePipeline, Pipeline, UpdatePipeline } from '../../pipelines/pipeline.ts'
import { dataOf } from '../../values/envelope.ts'
import { GivenId, Id, IdParams } from '../../values/ids.ts'
import { listOf, pageParams } from '../../values/list.ts'
import { noContent, type RouteTable } from '../route.ts'

export const pipelineRoutes = {
  createPipeline: {
    operationId: 'createPipeline',
    method: 'POST',
    path: '/pipelines',
    tag: 'Pipelines',
    summary: 'Create a pipeline',
    permission: 'pipelines:write',
    on: { body: { projectId: 'projects' } },
    body: dataOf(CreatePipeline),
    response: [201, dataOf(Pipeline)],
    errors: ['referenceNotFound', 'pipelineGivenIdTaken'],
  },
  listPipelines: {
    operationId: 'listPipelines',
    method: 'GET',
    path: '/pipelines',
    tag: 'Pipelines',
    summary: 'List pipelines',
    permission: 'pipelines:read',
    query: Type.Object(
      { ...pageParams, projectId: Type.Optional(Id), givenId: Type.Optional(GivenId) },
      { additionalProperties: false },
    ),
    response: [200, listOf(Pipeline)],
    errors: ['cursorInvalid'],
  },
  getPipeline: {
    operationId: 'getPipeline',
    method: 'GET',
    path: '/pipelines/{id}',
    tag: 'Pipelines',
    summary: 'Get a pipeline',
    permission: 'pipelines:read',
    params: IdParams,
    response: [200, dataOf(Pipeline)],
    errors: ['pipelineNotFound'],
  },
  updatePipeline: {
    operationId: 'updatePipeline',
    method: 'PATCH',
    path: '/pipelines/{id}',
    tag: 'Pipelines',
    summary: 'Update a pipeline',
    permission: 'pipelines:write',
    on: { params: { id: 'pipelines' }, body: { projectId: 'projects' } },
    params: IdParams,
    body: dataOf(UpdatePipeline),
    response: [200, dataOf(Pipeline)],
    errors: ['pipelineNotFound', 'referenceNotFound', 'pipelineGivenIdTaken'],
  },
  deletePipeline: {
    operationId: 'deletePipeline',
    method: 'DELETE',
    path: '/pipelines/{id}',
    tag: 'Pipelines',
    summary: 'Delete a pipeline with its versions and finished runs',
    permission: 'pipelines:write',
    on: { params: { id: 'pipelines' } },
    params: IdParams,
    response: noContent,
    errors: ['pipelineNotFound', 'pipelineInUse'],
  },
} as const satisfies RouteTable
