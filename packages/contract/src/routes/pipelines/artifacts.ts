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
    permission: 'deployments:read',
    query: Type.Object(
      {
        ...pageParams,
        moduleInstanceId: Type.Optional(Id),
        pipelineRunId: Type.Optional(Id),
        commit: Type.Optional(CommitPrefix),
      },
      { additionalProperties: false },
    ),
    response: [200, listOf(Artifact)],
    errors: ['cursorInvalid'],
  },
  dryRunArtifactRetention: {
    operationId: 'dryRunArtifactRetention',
    method: 'GET',
    path: '/artifacts/retention/dry-run',
    tag: 'Artifacts',
    summary: 'Preview which artifacts retention would remove and why others are retained',
    permission: 'deployments:read',
    query: Type.Object(
      {
        ...pageParams,
        moduleInstanceId: Type.Optional(Id),
        keepDays: Type.Optional(artifactRetentionFields.keepDays),
        keepLatest: Type.Optional(artifactRetentionFields.keepLatest),
      },
      { additionalProperties: false },
    ),
    response: [200, listOf(ArtifactVerdict)],
    errors: ['cursorInvalid'],
  },
  getArtifactRetention: {
    operationId: 'getArtifactRetention',
    method: 'GET',
    path: '/artifacts/retention',
    tag: 'Artifacts',
    summary: 'Get the artifact retention settings',
    permission: 'deployments:read',
    response: [200, dataOf(ArtifactRetention)],
    errors: [],
  },
  setArtifactRetention: {
    operationId: 'setArtifactRetention',
    method: 'PATCH',
    path: '/artifacts/retention',
    tag: 'Artifacts',
    summary: 'Update the artifact retention settings',
    permission: 'organizations:write',
    body: dataOf(SetArtifactRetention),
    response: [200, dataOf(ArtifactRetention)],
    errors: [],
  },
  getArtifact: {
    operationId: 'getArtifact',
    method: 'GET',
    path: '/artifacts/{id}',
    tag: 'Artifacts',
    summary: 'Get an artifact',
    permission: 'deployments:read',
    params: IdParams,
    response: [200, dataOf(Artifact)],
    errors: ['artifactNotFound'],
  },
  getArtifactProvenance: {
    operationId: 'getArtifactProvenance',
    method: 'GET',
    path: '/artifacts/{id}/provenance',
    tag: 'Artifacts',
    summary: 'Get the provenance of an artifact',
    permission: 'deployments:read',
    params: IdParams,
    response: [200, dataOf(Provenance)],
    errors: ['artifactNotFound', 'provenanceNotKept'],
  },
} as const satisfies RouteTable
