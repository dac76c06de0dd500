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
    needs: 'preview-templates:write',
    on: { body: { projectId: 'projects', environmentId: 'environments', pipelineId: 'pipelines' } },
    body: dataOf(CreatePreviewTemplate),
    reply: [201, dataOf(PreviewTemplate)],
    refuses: ['referenceNotFound', 'previewTemplateInvalid', 'tooManyPreviewTemplates'],
  },
  listPreviewTemplates: {
    operationId: 'listPreviewTemplates',
    method: 'GET',
    path: '/preview-templates',
    tag: 'PreviewEnvironments',
    summary: 'List preview templates',
    needs: 'preview-environments:read',
    query: Type.Object({ ...pageParams, ...filters }, { additionalProperties: false }),
    reply: [200, listOf(PreviewTemplate)],
    refuses: ['cursorInvalid'],
  },
  getPreviewTemplate: {
    operationId: 'getPreviewTemplate',
    method: 'GET',
    path: '/preview-templates/{id}',
    tag: 'PreviewEnvironments',
    summary: 'Get a preview template',
    needs: 'preview-environments:read',
    params: IdParams,
    reply: [200, dataOf(PreviewTemplate)],
    refuses: ['previewTemplateNotFound'],
  },
  updatePreviewTemplate: {
    operationId: 'updatePreviewTemplate',
    method: 'PATCH',
    path: '/preview-templates/{id}',
    tag: 'PreviewEnvironments',
    summary: 'Update a preview template',
    needs: 'preview-templates:write',
    on: { params: { id: 'preview-templates' }, body: { pipelineId: 'pipelines' } },
    params: IdParams,
    body: dataOf(UpdatePreviewTemplate),
    reply: [200, dataOf(PreviewTemplate)],
    refuses: ['previewTemplateNotFound', 'referenceNotFound', 'previewTemplateInvalid'],
  },
  deletePreviewTemplate: {
    operationId: 'deletePreviewTemplate',
    method: 'DELETE',
    path: '/preview-templates/{id}',
    tag: 'PreviewEnvironments',
    summary: 'Delete a preview template without preview environments',
    needs: 'preview-templates:write',
    on: { params: { id: 'preview-templates' } },
    params: IdParams,
    reply: noContent,
    refuses: ['previewTemplateNotFound', 'previewTemplateInUse'],
  },
} as const satisfies RouteTable
