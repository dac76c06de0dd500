import { Type } from 'typebox'
import {
  ApplyModuleInstances,
  CreateModuleInstance,
  infrastructureIncluded,
  ModuleInstance,
  ModuleInstanceInputs,
  ModuleInstanceStatus,
  ModuleInstanceUpgrade,
  moduleInstanceStatuses,
  UpdateModuleInstance,
} from '../../modules/module-instance.ts'
import { dataOf } from '../../values/envelope.ts'
import { GivenId, Id, IdParams } from '../../values/ids.ts'
import { dataWith, includeOf } from '../../values/include.ts'
import { listOf, pageParams } from '../../values/list.ts'
import type { RouteTable } from '../route.ts'

/** Errors of starting a run of a module instance. */
const runErrors = [
  'stackNotAvailable',
  'stackInvalid',
  'pipelineHasNoVersion',
  'runInputInvalid',
  'runTemplateFailed',
  'runPlaceUnknown',
  'previewInProduction',
  'runGroupBusy',
  'runChainTooLong',
] as const

export const moduleInstanceRoutes = {
  createModuleInstance: {
    operationId: 'createModuleInstance',
    method: 'POST',
    path: '/module-instances',
    tag: 'ModuleInstances',
    summary: 'Create a module instance in an environment',
    permission: 'module-instances:write',
    on: { body: { environmentId: 'environments' } },
    body: dataOf(CreateModuleInstance),
    response: [201, dataOf(ModuleInstance)],
    errors: [
      'referenceNotFound',
      'moduleHasNoVersion',
      'moduleVersionMismatch',
      'moduleInputInvalid',
      'moduleInstanceGivenIdTaken',
      ...runErrors,
    ],
  },
  listModuleInstances: {
    operationId: 'listModuleInstances',
    method: 'GET',
    path: '/module-instances',
    tag: 'ModuleInstances',
    summary: 'List module instances',
    permission: 'module-instances:read',
    query: Type.Object(
      {
        ...pageParams,
        ids: Type.Optional(
          Type.Array(Id, { maxItems: 50, description: 'IDs of module instances. Repeat the parameter for several.' }),
        ),
        projectId: Type.Optional(Id),
        environmentId: Type.Optional(Id),
        moduleDefinitionId: Type.Optional(Id),
        givenId: Type.Optional(GivenId),
        status: Type.Optional(
          Type.Array(ModuleInstanceStatus, {
            maxItems: moduleInstanceStatuses.length,
            description:
              'Filters by status. Repeat the parameter to allow several statuses. Without `status` and `ids`, DESTROYED instances are omitted.',
          }),
        ),
      },
      { additionalProperties: false },
    ),
    response: [200, listOf(ModuleInstance)],
    errors: ['cursorInvalid'],
  },
  getModuleInstance: {
    operationId: 'getModuleInstance',
    method: 'GET',
    path: '/module-instances/{id}',
    tag: 'ModuleInstances',
    summary: 'Get a module instance',
    permission: 'module-instances:read',
    params: IdParams,
    query: Type.Object(includeOf('infrastructure'), { additionalProperties: false }),
    response: [200, dataWith(ModuleInstance, infrastructureIncluded)],
    errors: ['moduleInstanceNotFound'],
  },
  updateModuleInstance: {
    operationId: 'updateModuleInstance',
    method: 'PATCH',
    path: '/module-instances/{id}',
    tag: 'ModuleInstances',
    summary: 'Update a module instance',
    permission: 'module-instances:write',
    on: { params: { id: 'module-instances' }, body: { environmentId: 'environments' } },
    params: IdParams,
    body: dataOf(UpdateModuleInstance),
    response: [200, dataOf(ModuleInstance)],
    errors: [
      'moduleInstanceNotFound',
      'moduleInstanceDestroyed',
      'referenceNotFound',
      'moduleHasNoVersion',
      'moduleVersionMismatch',
      'moduleInputInvalid',
      'moduleInstanceGivenIdTaken',
      'moduleInstanceInUse',
      ...runErrors,
    ],
  },
  deleteModuleInstance: {
    operationId: 'deleteModuleInstance',
    method: 'DELETE',
    path: '/module-instances/{id}',
    tag: 'ModuleInstances',
    summary: 'Delete a module instance; returns 202 while a run destroys its infrastructure, 204 once it is deleted',
    permission: 'module-instances:write',
    on: { params: { id: 'module-instances' } },
    params: IdParams,
    query: Type.Object(
      {
        ...includeOf('infrastructure'),
        autoapprove: Type.Optional(
          Type.Boolean({ description: 'Whether the run that destroys the infrastructure needs no approval.' }),
        ),
      },
      { additionalProperties: false },
    ),
    response: [202, dataWith(ModuleInstance, infrastructureIncluded)],
    otherStatuses: [204],
    errors: ['moduleInstanceNotFound', 'moduleInstanceInUse', ...runErrors],
  },
  getModuleInstanceInputs: {
    operationId: 'getModuleInstanceInputs',
    method: 'GET',
    path: '/module-instances/{id}/inputs',
    tag: 'ModuleInstances',
    summary: 'Get the resolved inputs and the form of a module instance',
    permission: 'module-instances:read',
    params: IdParams,
    response: [200, dataOf(ModuleInstanceInputs)],
    errors: ['moduleInstanceNotFound'],
  },
  getModuleInstanceUpgrade: {
    operationId: 'getModuleInstanceUpgrade',
    method: 'GET',
    path: '/module-instances/{id}/upgrade',
    tag: 'ModuleInstances',
    summary: 'Preview the upgrade of a module instance to another version',
    permission: 'module-instances:read',
    params: IdParams,
    query: Type.Object({ moduleVersionId: Id }, { additionalProperties: false }),
    response: [200, dataOf(ModuleInstanceUpgrade)],
    errors: ['moduleInstanceNotFound', 'moduleVersionNotFound', 'moduleVersionMismatch'],
  },
  applyModuleInstances: {
    operationId: 'applyModuleInstances',
    method: 'POST',
    path: '/module-instances/apply',
    tag: 'ModuleInstances',
    summary: 'Apply several module instances in dependency order',
    permission: 'module-instances:write',
    on: { body: { ids: 'module-instances' } },
    body: dataOf(ApplyModuleInstances),
    response: [
      200,
      Type.Object(
        { data: Type.Array(ModuleInstance) },
        { additionalProperties: false, description: 'Module instances in the order in which they are applied.' },
      ),
    ],
    errors: ['referenceNotFound', 'moduleInstanceDestroyed', 'moduleInstanceInUse', 'moduleInputInvalid', ...runErrors],
  },
} as const satisfies RouteTable
