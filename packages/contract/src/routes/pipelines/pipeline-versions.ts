import { Type } from 'typebox'
import {
  ApprovePipelineVersion,
  CreatePipelineVersion,
  PipelineVersion,
  PipelineVersionDryRun,
  versionIncluded,
} from '../../pipelines/pipeline-version.ts'
import { dataOf } from '../../values/envelope.ts'
import { Id, IdParams } from '../../values/ids.ts'
import { dataWith, includeOf, listWith } from '../../values/include.ts'
import { pageParams } from '../../values/list.ts'
import { configBodyBytes, type RouteTable } from '../route.ts'

const closed = { additionalProperties: false } as const

export const pipelineVersionRoutes = {
  createPipelineVersion: {
    operationId: 'createPipelineVersion',
    method: 'POST',
    path: '/pipeline-versions',
    tag: 'PipelineVersions',
    summary: 'Create a version of a pipeline, or return 200 with the changes for a dry run',
    permission: 'pipelines:write',
    on: { body: { pipelineId: 'pipelines' } },
    body: dataOf(CreatePipelineVersion),
    maxBodyBytes: configBodyBytes,
    response: [201, Type.Union([dataOf(PipelineVersion), dataOf(PipelineVersionDryRun)])],
    otherStatuses: [200],
    errors: ['referenceNotFound', 'pipelineConfigInvalid', 'stoppedByPolicy'],
  },
  listPipelineVersions: {
    operationId: 'listPipelineVersions',
    method: 'GET',
    path: '/pipeline-versions',
    tag: 'PipelineVersions',
    summary: 'List pipeline versions',
    permission: 'pipelines:read',
    query: Type.Object({ ...pageParams, pipelineId: Type.Optional(Id), ...includeOf('policies', 'approval') }, closed),
    response: [200, listWith(PipelineVersion, versionIncluded)],
    errors: ['cursorInvalid'],
  },
  getPipelineVersion: {
    operationId: 'getPipelineVersion',
    method: 'GET',
    path: '/pipeline-versions/{id}',
    tag: 'PipelineVersions',
    summary: 'Get a pipeline version',
    permission: 'pipelines:read',
    params: IdParams,
    query: Type.Object(includeOf('policies', 'approval'), closed),
    response: [200, dataWith(PipelineVersion, versionIncluded)],
    errors: ['pipelineVersionNotFound'],
  },
  approvePipelineVersion: {
    operationId: 'approvePipelineVersion',
    method: 'POST',
    path: '/pipeline-versions/{id}/approve',
    tag: 'PipelineVersions',
    summary: 'Approve a pipeline version for which policies require approval',
    permission: 'approvals:write',
    on: { params: { id: 'pipeline-versions' } },
    params: IdParams,
    body: Type.Object(
      { data: Type.Optional(ApprovePipelineVersion) },
      { ...closed, description: 'Optional. Contains a comment.' },
    ),
    response: [200, dataOf(PipelineVersion)],
    errors: ['pipelineVersionNotFound', 'noVersionApprovalAwaited', 'notCounted', 'alreadyApproved'],
  },
  withdrawPipelineVersionApproval: {
    operationId: 'withdrawPipelineVersionApproval',
    method: 'POST',
    path: '/pipeline-versions/{id}/withdraw-approval',
    tag: 'PipelineVersions',
    summary: 'Withdraw your approval of a pipeline version; its runs that have not started wait again',
    permission: 'approvals:write',
    on: { params: { id: 'pipeline-versions' } },
    params: IdParams,
    response: [200, dataOf(PipelineVersion)],
    errors: ['pipelineVersionNotFound', 'notApproved'],
  },
} as const satisfies RouteTable
