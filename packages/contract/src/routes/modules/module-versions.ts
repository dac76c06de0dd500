import { Type } from 'typebox'
import { CreateModuleVersion, ModuleVersion, ModuleVersionDryRun } from '../../modules/module-version.ts'
import { dataOf } from '../../values/envelope.ts'
import { Id, IdParams } from '../../values/ids.ts'
import { listOf, pageParams } from '../../values/list.ts'
import { configBodyBytes, noContent, type RouteTable } from '../route.ts'

export const moduleVersionRoutes = {
  createModuleVersion: {
    operationId: 'createModuleVersion',
    method: 'POST',
    path: '/module-versions',
    tag: 'ModuleVersions',
    summary: 'Publish a module version, or validate it and return 202 for a dry run',
    permission: 'module-definitions:write',
    body: dataOf(CreateModuleVersion),
    maxBodyBytes: configBodyBytes,
    response: [201, Type.Union([dataOf(ModuleVersion), dataOf(ModuleVersionDryRun)])],
    // 202, because the strictest client of a public module library treats every other 2xx status as a creation.
    otherStatuses: [202],
    errors: ['referenceNotFound', 'moduleVersionTaken', 'moduleConfigInvalid'],
  },
  listModuleVersions: {
    operationId: 'listModuleVersions',
    method: 'GET',
    path: '/module-versions',
    tag: 'ModuleVersions',
    summary: 'List module versions',
    permission: 'module-definitions:read',
    query: Type.Object({ ...pageParams, moduleDefinitionId: Type.Optional(Id) }, { additionalProperties: false }),
    response: [200, listOf(ModuleVersion)],
    errors: ['cursorInvalid'],
  },
  getModuleVersion: {
    operationId: 'getModuleVersion',
    method: 'GET',
    path: '/module-versions/{id}',
    tag: 'ModuleVersions',
    summary: 'Get a module version',
    permission: 'module-definitions:read',
    params: IdParams,
    response: [200, dataOf(ModuleVersion)],
    errors: ['moduleVersionNotFound'],
  },
  deleteModuleVersion: {
    operationId: 'deleteModuleVersion',
    method: 'DELETE',
    path: '/module-versions/{id}',
    tag: 'ModuleVersions',
    summary: 'Delete a module version that no instance uses',
    permission: 'module-definitions:write',
    params: IdParams,
    response: noContent,
    errors: ['moduleVersionNotFound', 'moduleVersionInUse'],
  },
} as const satisfies RouteTable
