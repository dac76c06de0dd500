import { Type } from 'typebox'
import { dataOf } from '../envelope.ts'
import { Id, IdParams } from '../ids.ts'
import { listOf, pageParams } from '../list.ts'
import { CreatePipelineVersion, PipelineVersion, PipelineVersionDryRun } from '../pipeline-version.ts'
import { configBodyBytes, type RouteTable } from './route.ts'

export const pipelineVersionRoutes = {
  createPipelineVersion: {
    operationId: 'createPipelineVersion',
    method: 'POST',
    path: '/pipeline-versions',
    tag: 'PipelineVersions',
    summary: 'Create a version of a pipeline; a dry run answers 200 with what would change',
    needs: 'pipelines:write',
    on: { body: { pipelineId: 'pipelines' } },
    body: dataOf(CreatePipelineVersion),
    maxBodyBytes: configBodyBytes,
    reply: [201, Type.Union([dataOf(PipelineVersion), dataOf(PipelineVersionDryRun)])],
    alsoReplies: [200],
    refuses: ['referenceNotFound', 'pipelineConfigInvalid', 'stoppedByPolicy'],
  },
  listPipelineVersions: {
    operationId: 'listPipelineVersions',
    method: 'GET',
    path: '/pipeline-versions',
    tag: 'PipelineVersions',
    summary: 'List versions of pipelines',
    needs: 'pipelines:read',
    query: Type.Object({ ...pageParams, pipelineId: Type.Optional(Id) }, { additionalProperties: false }),
    reply: [200, listOf(PipelineVersion)],
    refuses: ['cursorInvalid'],
  },
  getPipelineVersion: {
    operationId: 'getPipelineVersion',
    method: 'GET',
    path: '/pipeline-versions/{id}',
    tag: 'PipelineVersions',
    summary: 'Get a version of a pipeline',
    needs: 'pipelines:read',
    params: IdParams,
    reply: [200, dataOf(PipelineVersion)],
    refuses: ['pipelineVersionNotFound'],
  },
} as const satisfies RouteTable
