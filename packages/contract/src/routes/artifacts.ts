import { Type } from 'typebox'
import { Artifact, ArtifactVerdict, usualArtifactRetention } from '../artifact.ts'
import { dataOf } from '../envelope.ts'
import { Id, IdParams } from '../ids.ts'
import { listOf, pageParams } from '../list.ts'
import { Provenance } from '../provenance.ts'
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
  dryRunArtifactRetention: {
    operationId: 'dryRunArtifactRetention',
    method: 'GET',
    path: '/artifacts/retention/dry-run',
    tag: 'Artifacts',
    summary: 'Tell which artifacts nothing needs any more, and why the others stay',
    needs: 'deployments:read',
    query: Type.Object(
      {
        ...pageParams,
        moduleInstanceId: Type.Optional(Id),
        keepDays: Type.Integer({
          minimum: 1,
          maximum: 3_650,
          default: usualArtifactRetention.keepDays,
          description: 'How old an artifact is at least that may go. Days.',
        }),
        keepLatest: Type.Integer({
          minimum: 1,
          maximum: 30, // each of them is read through
          default: usualArtifactRetention.keepLatest,
          description: 'How many of the last releases and of the last builds of each instance stay in any case.',
        }),
      },
      { additionalProperties: false },
    ),
    reply: [200, listOf(ArtifactVerdict)],
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
  getArtifactProvenance: {
    operationId: 'getArtifactProvenance',
    method: 'GET',
    path: '/artifacts/{id}/provenance',
    tag: 'Artifacts',
    summary: 'Get who built an artifact, from what, and how',
    needs: 'deployments:read',
    params: IdParams,
    reply: [200, dataOf(Provenance)],
    refuses: ['artifactNotFound', 'provenanceNotKept'],
  },
} as const satisfies RouteTable
