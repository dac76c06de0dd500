import { Type } from 'typebox'
import {
  CreateModuleDefinition,
  ModuleDefinition,
  moduleDefinitionStatuses,
  UpdateModuleDefinition,
} from '../../modules/module-definition.ts'
import { dataOf } from '../../values/envelope.ts'
import { IdParams } from '../../values/ids.ts'
import { listOf, pageParams } from '../../values/list.ts'
import { configBodyBytes, noContent, type RouteTable } from '../route.ts'

export const moduleDefinitionRoutes = {
  createModuleDefinition: {
    operationId: 'createModuleDefinition',
    method: 'POST',
    path: '/module-definitions',
    tag: 'ModuleDefinitions',
    summary: 'Create a module definition, optionally with its first version',
    permission: 'module-definitions:write',
    body: dataOf(CreateModuleDefinition),
    maxBodyBytes: configBodyBytes,
    response: [201, dataOf(ModuleDefinition)],
    errors: ['moduleDefinitionTypeTaken', 'moduleConfigInvalid'],
  },
  listModuleDefinitions: {
    operationId: 'listModuleDefinitions',
    method: 'GET',
    path: '/module-definitions',
    tag: 'ModuleDefinitions',
    summary: "List the organization's module definitions and the globally published ones",
    permission: 'module-definitions:read',
    query: Type.Object(
      {
        ...pageParams,
        status: Type.Optional(Type.Enum(moduleDefinitionStatuses, { description: 'Filters by status.' })),
        type: Type.Optional(Type.String({ minLength: 1, maxLength: 200, description: 'Filters by type.' })),
      },
      { additionalProperties: false },
    ),
    response: [200, listOf(ModuleDefinition)],
    errors: ['cursorInvalid'],
  },
  getModuleDefinition: {
    operationId: 'getModuleDefinition',
    method: 'GET',
    path: '/module-definitions/{id}',
    tag: 'ModuleDefinitions',
    summary: 'Get a module definition',
    permission: 'module-definitions:read',
    params: IdParams,
    response: [200, dataOf(ModuleDefinition)],
    errors: ['moduleDefinitionNotFound'],
  },
  updateModuleDefinition: {
    operationId: 'updateModuleDefinition',
    method: 'PATCH',
    path: '/module-definitions/{id}',
    tag: 'ModuleDefinitions',
    summary: 'Update a module definition of the organization',
    permission: 'module-definitions:write',
    params: IdParams,
    body: dataOf(UpdateModuleDefinition),
    response: [200, dataOf(ModuleDefinition)],
    errors: ['moduleDefinitionNotFound', 'moduleDefinitionTypeTaken', 'moduleDefinitionInUse'],
  },
  deleteModuleDefinition: {
    operationId: 'deleteModuleDefinition',
    method: 'DELETE',
    path: '/module-definitions/{id}',
    tag: 'ModuleDefinitions',
    summary: 'Delete a module definition and its versions',
    permission: 'module-definitions:write',
    params: IdParams,
    response: noContent,
    errors: ['moduleDefinitionNotFound', 'moduleDefinitionInUse'],
  },
} as const satisfies RouteTable
