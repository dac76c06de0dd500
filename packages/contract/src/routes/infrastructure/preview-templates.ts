import { Type } from 'typebox'
import { CreatePreviewTemplate, PreviewTemplate, UpdatePreviewTemplate } from '../../infrastructure/preview-template.ts'
import { dataOf } from '../../values/envelope.ts'
import { Id, IdParams } from '../../values/ids.ts'
import { listOf, pageParams } from '../../values/list.ts'
import { noContent, type RouteTable } from '../route.ts'

const filters = { projectId: Type.Optional(Id), codeSourceId: Type.Optional(Id) }

export const previewTemplateRoutes = {
  createPreviewTemplate: {
    operationId: 'createPreviewTemplate',
    method: 'POST',
    path: '/preview-templates',
    tag: 'PreviewEnvironments',
    summary: 'Create a preview template',
    permission: 'preview-templates:write',
    on: { body: { projectId: 'projects', environmentId: 'environments', pipelineId: 'pipelines' } },
    body: dataOf(CreatePreviewTemplate),
    response: [201, dataOf(PreviewTemplate)],
    errors: ['referenceNotFound', 'previewTemplateInvalid', 'tooManyPreviewTemplates'],
  },
  listPreviewTemplates: {
    operationId: 'listPreviewTemplates',
    method: 'GET',
    path: '/preview-templates',
    tag: 'PreviewEnvironments',
    summary: 'List preview templates',
    permission: 'preview-environments:read',
    query: Type.Object({ ...pageParams, ...filters }, { additionalProperties: false }),
    response: [200, listOf(PreviewTemplate)],
    errors: ['cursorInvalid'],
  },
  getPreviewTemplate: {
    operationId: 'getPreviewTemplate',
    method: 'GET',
    path: '/preview-templates/{id}',
    tag: 'PreviewEnvironments',
    summary: 'Get a preview template',
    permission: 'preview-environments:read',
    params: IdParams,
    response: [200, dataOf(PreviewTemplate)],
    errors: ['previewTemplateNotFound'],
  },
  updatePreviewTemplate: {
    operationId: 'updatePreviewTemplate',
    method: 'PATCH',
    path: '/preview-templates/{id}',
    tag: 'PreviewEnvironments',
    summary: 'Update a preview template',
    permission: 'preview-templates:write',
    on: { params: { id: 'preview-templates' }, body: { pipelineId: 'pipelines' } },
    params: IdParams,
    body: dataOf(UpdatePreviewTemplate),
    response: [200, dataOf(PreviewTemplate)],
    errors: ['previewTemplateNotFound', 'referenceNotFound', 'previewTemplateInvalid'],
  },
  deletePreviewTemplate: {
    operationId: 'deletePreviewTemplate',
    method: 'DELETE',
    path: '/preview-templates/{id}',
    tag: 'PreviewEnvironments',
    summary: 'Delete a preview template without preview environments',
    permission: 'preview-templates:write',
    on: { params: { id: 'preview-templates' } },
    params: IdParams,
    response: noContent,
    errors: ['previewTemplateNotFound', 'previewTemplateInUse'],
  },
} as const satisfies RouteTable
