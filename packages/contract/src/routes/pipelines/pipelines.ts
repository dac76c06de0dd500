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
    needs: 'pipelines:write',
    on: { body: { projectId: 'projects' } },
    body: dataOf(CreatePipeline),
    reply: [201, dataOf(Pipeline)],
    refuses: ['referenceNotFound', 'pipelineGivenIdTaken'],
  },
  listPipelines: {
    operationId: 'listPipelines',
    method: 'GET',
    path: '/pipelines',
    tag: 'Pipelines',
    summary: 'List pipelines',
    needs: 'pipelines:read',
    query: Type.Object(
      { ...pageParams, projectId: Type.Optional(Id), givenId: Type.Optional(GivenId) },
      { additionalProperties: false },
    ),
    reply: [200, listOf(Pipeline)],
    refuses: ['cursorInvalid'],
  },
  getPipeline: {
    operationId: 'getPipeline',
    method: 'GET',
    path: '/pipelines/{id}',
    tag: 'Pipelines',
    summary: 'Get a pipeline',
    needs: 'pipelines:read',
    params: IdParams,
    reply: [200, dataOf(Pipeline)],
    refuses: ['pipelineNotFound'],
  },
  updatePipeline: {
    operationId: 'updatePipeline',
    method: 'PATCH',
    path: '/pipelines/{id}',
    tag: 'Pipelines',
    summary: 'Update a pipeline',
    needs: 'pipelines:write',
    on: { params: { id: 'pipelines' }, body: { projectId: 'projects' } },
    params: IdParams,
    body: dataOf(UpdatePipeline),
    reply: [200, dataOf(Pipeline)],
    refuses: ['pipelineNotFound', 'referenceNotFound', 'pipelineGivenIdTaken'],
  },
  deletePipeline: {
    operationId: 'deletePipeline',
    method: 'DELETE',
    path: '/pipelines/{id}',
    tag: 'Pipelines',
    summary: 'Delete a pipeline with its versions and finished runs',
    needs: 'pipelines:write',
    on: { params: { id: 'pipelines' } },
    params: IdParams,
    reply: noContent,
    refuses: ['pipelineNotFound', 'pipelineInUse'],
  },
} as const satisfies RouteTable
