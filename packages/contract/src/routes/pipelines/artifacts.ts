import { Type } from 'typebox'
import { Provenance } from '../../delivery/provenance.ts'
import {
  Artifact,
  ArtifactRetention,
  ArtifactVerdict,
  artifactRetentionFields,
  SetArtifactRetention,
} from '../../pipelines/artifact.ts'
import { dataOf } from '../../values/envelope.ts'
import { Id, IdParams } from '../../values/ids.ts'
import { listOf, pageParams } from '../../values/list.ts'
import type { RouteTable } from '../route.ts'

const CommitPrefix = Type.String({
  pattern: '^[0-9a-f]{7,64}$',
  description: 'What they were built from: a commit, or how its id begins.',
  examples: ['0a1b2c3d'],
})

export const artifactRoutes = {
  listArtifacts: {
    operationId: 'listArtifacts',
    method: 'GET',
    path: '/artifacts',
    tag: 'Artifacts',
    summary: 'List what builds have made',
    needs: 'deployments:read',
    query: Type.Object(
      {
        ...pageParams,
        moduleInstanceId: Type.Optional(Id),
        pipelineRunId: Type.Optional(Id),
        commit: Type.Optional(CommitPrefix),
      },
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
        keepDays: Type.Optional(artifactRetentionFields.keepDays),
        keepLatest: Type.Optional(artifactRetentionFields.keepLatest),
      },
      { additionalProperties: false },
    ),
    reply: [200, listOf(ArtifactVerdict)],
    refuses: ['cursorInvalid'],
  },
  getArtifactRetention: {
    operationId: 'getArtifactRetention',
    method: 'GET',
    path: '/artifacts/retention',
    tag: 'Artifacts',
    summary: 'Tell whether artifacts are removed that nothing needs any more',
    needs: 'deployments:read',
    reply: [200, dataOf(ArtifactRetention)],
    refuses: [],
  },
  setArtifactRetention: {
    operationId: 'setArtifactRetention',
    method: 'PATCH',
    path: '/artifacts/retention',
    tag: 'Artifacts',
    summary: 'Have artifacts removed that nothing needs any more, or stop that',
    needs: 'organizations:write',
    body: dataOf(SetArtifactRetention),
    reply: [200, dataOf(ArtifactRetention)],
    refuses: [],
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
