import { Type } from 'typebox'
import { dataOf } from '../envelope.ts'
import { GivenId, Id, IdParams } from '../ids.ts'
import { listOf, pageParams } from '../list.ts'
import { ModuleInstance } from '../module-instance.ts'
import type { RouteTable } from './route.ts'

export const moduleInstanceRoutes = {
  listModuleInstances: {
    operationId: 'listModuleInstances',
    method: 'GET',
    path: '/module-instances',
    tag: 'ModuleInstances',
    summary: 'List module instances',
    needs: 'module-instances:read',
    query: Type.Object(
      {
        ...pageParams,
        ids: Type.Optional(Type.Array(Id, { maxItems: 50, description: 'Only these; repeat the parameter.' })),
        projectId: Type.Optional(Id),
        environmentId: Type.Optional(Id),
        moduleDefinitionId: Type.Optional(Id),
        givenId: Type.Optional(GivenId),
      },
      { additionalProperties: false },
    ),
    reply: [200, listOf(ModuleInstance)],
    refuses: ['cursorInvalid'],
  },
  getModuleInstance: {
    operationId: 'getModuleInstance',
    method: 'GET',
    path: '/module-instances/{id}',
    tag: 'ModuleInstances',
    summary: 'Get a module instance',
    needs: 'module-instances:read',
    params: IdParams,
    reply: [200, dataOf(ModuleInstance)],
    refuses: ['moduleInstanceNotFound'],
  },
} as const satisfies RouteTable
