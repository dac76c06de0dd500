import { Type } from 'typebox'
import { dataOf } from '../envelope.ts'
import { Id, IdParams } from '../ids.ts'
import { dataWith, includeOf, listWith } from '../include.ts'
import { pageParams } from '../list.ts'
import { CreatePipelineVersion, PipelineVersion, PipelineVersionDryRun } from '../pipeline-version.ts'
import { policiesIncluded } from '../policy.ts'
import { configBodyBytes, type RouteTable } from './route.ts'

const closed = { additionalProperties: false } as const

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
    query: Type.Object({ ...pageParams, pipelineId: Type.Optional(Id), ...includeOf('policies') }, closed),
    reply: [200, listWith(PipelineVersion, policiesIncluded)],
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
    query: Type.Object(includeOf('policies'), closed),
    reply: [200, dataWith(PipelineVersion, policiesIncluded)],
    refuses: ['pipelineVersionNotFound'],
  },
} as const satisfies RouteTable
