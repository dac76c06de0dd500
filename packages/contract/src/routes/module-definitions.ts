import { Type } from 'typebox'
import { dataOf } from '../envelope.ts'
import { IdParams } from '../ids.ts'
import { listOf, pageParams } from '../list.ts'
import { ModuleDefinition, moduleDefinitionStatuses } from '../module-definition.ts'
import type { RouteTable } from './route.ts'

export const moduleDefinitionRoutes = {
  listModuleDefinitions: {
    operationId: 'listModuleDefinitions',
    method: 'GET',
    path: '/module-definitions',
    tag: 'ModuleDefinitions',
    summary: "List the organization's module definitions and the globally published ones",
    needs: 'module-definitions:read',
    query: Type.Object(
      {
        ...pageParams,
        status: Type.Optional(Type.Enum(moduleDefinitionStatuses, { description: 'Only those with this status.' })),
        type: Type.Optional(Type.String({ minLength: 1, maxLength: 200, description: 'Only those of this type.' })),
      },
      { additionalProperties: false },
    ),
    reply: [200, listOf(ModuleDefinition)],
    refuses: ['cursorInvalid'],
  },
  getModuleDefinition: {
    operationId: 'getModuleDefinition',
    method: 'GET',
    path: '/module-definitions/{id}',
    tag: 'ModuleDefinitions',
    summary: 'Get a module definition',
    needs: 'module-definitions:read',
    params: IdParams,
    reply: [200, dataOf(ModuleDefinition)],
    refuses: ['moduleDefinitionNotFound'],
  },
} as const satisfies RouteTable
