import { Type } from 'typebox'
import { dataOf } from '../envelope.ts'
import { GivenId, Id, IdParams } from '../ids.ts'
import { listOf, pageParams } from '../list.ts'
import {
  CreateModuleInstance,
  ModuleInstance,
  ModuleInstanceStatus,
  moduleInstanceStatuses,
  UpdateModuleInstance,
} from '../module-instance.ts'
import { noContent, type RouteTable } from './route.ts'

export const moduleInstanceRoutes = {
  createModuleInstance: {
    operationId: 'createModuleInstance',
    method: 'POST',
    path: '/module-instances',
    tag: 'ModuleInstances',
    summary: 'Place a module in an environment',
    needs: 'module-instances:write',
    body: dataOf(CreateModuleInstance),
    reply: [201, dataOf(ModuleInstance)],
    refuses: [
      'referenceNotFound',
      'moduleHasNoVersion',
      'moduleVersionMismatch',
      'moduleInputInvalid',
      'moduleInstanceGivenIdTaken',
    ],
  },
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
        status: Type.Optional(
          Type.Array(ModuleInstanceStatus, {
            maxItems: moduleInstanceStatuses.length,
            description:
              'Only those with one of these statuses; repeat the parameter. Without it and without `ids`, all but DESTROYED.',
          }),
        ),
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
  updateModuleInstance: {
    operationId: 'updateModuleInstance',
    method: 'PATCH',
    path: '/module-instances/{id}',
    tag: 'ModuleInstances',
    summary: 'Change a module instance',
    needs: 'module-instances:write',
    params: IdParams,
    body: dataOf(UpdateModuleInstance),
    reply: [200, dataOf(ModuleInstance)],
    refuses: [
      'moduleInstanceNotFound',
      'moduleInstanceDestroyed',
      'referenceNotFound',
      'moduleHasNoVersion',
      'moduleVersionMismatch',
      'moduleInputInvalid',
      'moduleInstanceGivenIdTaken',
      'stackNotAvailable',
    ],
  },
  deleteModuleInstance: {
    operationId: 'deleteModuleInstance',
    method: 'DELETE',
    path: '/module-instances/{id}',
    tag: 'ModuleInstances',
    summary: 'Delete a module instance; one with a history stays readable as DESTROYED',
    needs: 'module-instances:write',
    params: IdParams,
    reply: noContent,
    refuses: ['moduleInstanceNotFound', 'moduleInstanceInUse'],
  },
} as const satisfies RouteTable
