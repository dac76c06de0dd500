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
  description: 'Filters by the commit that the artifact was built from: a full SHA or a prefix.',
  examples: ['0a1b2c3d'],
})

export const artifactRoutes = {
  listArtifacts: {
    operationId: 'listArtifacts',
    method: 'GET',
    path: '/artifacts',
    tag: 'Artifacts',
    summary: 'List artifacts',
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
    summary: 'Preview which artifacts retention would remove and why others are retained',
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
    summary: 'Get the artifact retention settings',
    needs: 'deployments:read',
    reply: [200, dataOf(ArtifactRetention)],
    refuses: [],
  },
  setArtifactRetention: {
    operationId: 'setArtifactRetention',
    method: 'PATCH',
    path: '/artifacts/retention',
    tag: 'Artifacts',
    summary: 'Update the artifact retention settings',
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
    summary: 'Get an artifact',
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
    summary: 'Get the provenance of an artifact',
    needs: 'deployments:read',
    params: IdParams,
    reply: [200, dataOf(Provenance)],
    refuses: ['artifactNotFound', 'provenanceNotKept'],
  },
} as const satisfies RouteTable
