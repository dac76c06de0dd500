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
const runRefusals = [
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
    needs: 'module-instances:write',
    on: { body: { environmentId: 'environments' } },
    body: dataOf(CreateModuleInstance),
    reply: [201, dataOf(ModuleInstance)],
    refuses: [
      'referenceNotFound',
      'moduleHasNoVersion',
      'moduleVersionMismatch',
      'moduleInputInvalid',
      'moduleInstanceGivenIdTaken',
      ...runRefusals,
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
    query: Type.Object(includeOf('infrastructure'), { additionalProperties: false }),
    reply: [200, dataWith(ModuleInstance, infrastructureIncluded)],
    refuses: ['moduleInstanceNotFound'],
  },
  updateModuleInstance: {
    operationId: 'updateModuleInstance',
    method: 'PATCH',
    path: '/module-instances/{id}',
    tag: 'ModuleInstances',
    summary: 'Update a module instance',
    needs: 'module-instances:write',
    on: { params: { id: 'module-instances' }, body: { environmentId: 'environments' } },
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
      'moduleInstanceInUse',
      ...runRefusals,
    ],
  },
  deleteModuleInstance: {
    operationId: 'deleteModuleInstance',
    method: 'DELETE',
    path: '/module-instances/{id}',
    tag: 'ModuleInstances',
    summary: 'Delete a module instance; returns 202 while a run destroys its infrastructure, 204 once it is deleted',
    needs: 'module-instances:write',
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
    reply: [202, dataWith(ModuleInstance, infrastructureIncluded)],
    alsoReplies: [204],
    refuses: ['moduleInstanceNotFound', 'moduleInstanceInUse', ...runRefusals],
  },
  getModuleInstanceInputs: {
    operationId: 'getModuleInstanceInputs',
    method: 'GET',
    path: '/module-instances/{id}/inputs',
    tag: 'ModuleInstances',
    summary: 'Get the resolved inputs and the form of a module instance',
    needs: 'module-instances:read',
    params: IdParams,
    reply: [200, dataOf(ModuleInstanceInputs)],
    refuses: ['moduleInstanceNotFound'],
  },
  getModuleInstanceUpgrade: {
    operationId: 'getModuleInstanceUpgrade',
    method: 'GET',
    path: '/module-instances/{id}/upgrade',
    tag: 'ModuleInstances',
    summary: 'Preview the upgrade of a module instance to another version',
    needs: 'module-instances:read',
    params: IdParams,
    query: Type.Object({ moduleVersionId: Id }, { additionalProperties: false }),
    reply: [200, dataOf(ModuleInstanceUpgrade)],
    refuses: ['moduleInstanceNotFound', 'moduleVersionNotFound', 'moduleVersionMismatch'],
  },
  applyModuleInstances: {
    operationId: 'applyModuleInstances',
    method: 'POST',
    path: '/module-instances/apply',
    tag: 'ModuleInstances',
    summary: 'Apply several module instances in dependency order',
    needs: 'module-instances:write',
    on: { body: { ids: 'module-instances' } },
    body: dataOf(ApplyModuleInstances),
    reply: [
      200,
      Type.Object(
        { data: Type.Array(ModuleInstance) },
        { additionalProperties: false, description: 'Module instances in the order in which they are applied.' },
      ),
    ],
    refuses: [
      'referenceNotFound',
      'moduleInstanceDestroyed',
      'moduleInstanceInUse',
      'moduleInputInvalid',
      ...runRefusals,
    ],
  },
} as const satisfies RouteTable
