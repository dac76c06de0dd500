import { Type } from 'typebox'
import { ExtendPreviewEnvironment, PreviewEnvironment } from '../../infrastructure/preview-environment.ts'
import { dataOf } from '../../values/envelope.ts'
import { Id, IdParams } from '../../values/ids.ts'
import { listOf, pageParams } from '../../values/list.ts'
import type { RouteTable } from '../route.ts'

const filters = {
  projectId: Type.Optional(Id),
  previewTemplateId: Type.Optional(Id),
  environmentId: Type.Optional(Id),
  includeDeleted: Type.Boolean({ default: false, description: 'Whether to include destroyed preview environments.' }),
}

export const previewEnvironmentRoutes = {
  listPreviewEnvironments: {
    operationId: 'listPreviewEnvironments',
    method: 'GET',
    path: '/preview-environments',
    tag: 'PreviewEnvironments',
    summary: 'List preview environments',
    permission: 'preview-environments:read',
    query: Type.Object({ ...pageParams, ...filters }, { additionalProperties: false }),
    response: [200, listOf(PreviewEnvironment)],
    errors: ['cursorInvalid'],
  },
  getPreviewEnvironment: {
    operationId: 'getPreviewEnvironment',
    method: 'GET',
    path: '/preview-environments/{id}',
    tag: 'PreviewEnvironments',
    summary: 'Get a preview environment',
    permission: 'preview-environments:read',
    params: IdParams,
    response: [200, dataOf(PreviewEnvironment)],
    errors: ['previewEnvironmentNotFound'],
  },
  extendPreviewEnvironment: {
    operationId: 'extendPreviewEnvironment',
    method: 'POST',
    path: '/preview-environments/{id}/extend',
    tag: 'PreviewEnvironments',
    summary: 'Extend the lifetime of a preview environment',
    permission: 'preview-environments:write',
    on: { params: { id: 'preview-environments' } },
    params: IdParams,
    body: dataOf(ExtendPreviewEnvironment),
    response: [200, dataOf(PreviewEnvironment)],
    errors: ['previewEnvironmentNotFound', 'previewEnvironmentEnded'],
  },
  endPreviewEnvironment: {
    operationId: 'endPreviewEnvironment',
    method: 'POST',
    path: '/preview-environments/{id}/end',
    tag: 'PreviewEnvironments',
    summary: 'Tear down a preview environment now',
    permission: 'preview-environments:write',
    on: { params: { id: 'preview-environments' } },
    params: IdParams,
    response: [200, dataOf(PreviewEnvironment)],
    errors: ['previewEnvironmentNotFound'],
  },
  retryPreviewEnvironment: {
    operationId: 'retryPreviewEnvironment',
    method: 'POST',
    path: '/preview-environments/{id}/retry',
    tag: 'PreviewEnvironments',
    summary: 'Retry the creation or the teardown of a preview environment',
    permission: 'preview-environments:write',
    on: { params: { id: 'preview-environments' } },
    params: IdParams,
    response: [200, dataOf(PreviewEnvironment)],
    errors: ['previewEnvironmentNotFound', 'previewEnvironmentNotFailed'],
  },
} as const satisfies RouteTable
