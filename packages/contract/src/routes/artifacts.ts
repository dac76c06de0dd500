import { Type } from 'typebox'
import { Artifact } from '../artifact.ts'
import { dataOf } from '../envelope.ts'
import { Id, IdParams } from '../ids.ts'
import { listOf, pageParams } from '../list.ts'
import type { RouteTable } from './route.ts'

export const artifactRoutes = {
  listArtifacts: {
    operationId: 'listArtifacts',
    method: 'GET',
    path: '/artifacts',
    tag: 'Artifacts',
    summary: 'List what builds have made',
    needs: 'deployments:read',
    query: Type.Object(
      { ...pageParams, moduleInstanceId: Type.Optional(Id), pipelineRunId: Type.Optional(Id) },
      { additionalProperties: false },
    ),
    reply: [200, listOf(Artifact)],
    refuses: ['cursorInvalid'],
  },
  getArtifact: {
    operationId: 'getArtifact',
    method: 'GET',
    path: '/artifacts/{id}',
    tag: 'Artifacts',
    summary: 'Get what a build has made',
    needs: 'deployments:read',
    params: IdParams,
    reply: [200, dataOf(Artifact)],
    refuses: ['artifactNotFound'],
  },
} as const satisfies RouteTable
