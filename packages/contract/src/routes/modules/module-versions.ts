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
    needs: 'module-definitions:write',
    body: dataOf(CreateModuleVersion),
    maxBodyBytes: configBodyBytes,
    reply: [201, Type.Union([dataOf(ModuleVersion), dataOf(ModuleVersionDryRun)])],
    // 202, because the strictest client of a public module library treats every other 2xx status as a creation.
    alsoReplies: [202],
    refuses: ['referenceNotFound', 'moduleVersionTaken', 'moduleConfigInvalid'],
  },
  listModuleVersions: {
    operationId: 'listModuleVersions',
    method: 'GET',
    path: '/module-versions',
    tag: 'ModuleVersions',
    summary: 'List module versions',
    needs: 'module-definitions:read',
    query: Type.Object({ ...pageParams, moduleDefinitionId: Type.Optional(Id) }, { additionalProperties: false }),
    reply: [200, listOf(ModuleVersion)],
    refuses: ['cursorInvalid'],
  },
  getModuleVersion: {
    operationId: 'getModuleVersion',
    method: 'GET',
    path: '/module-versions/{id}',
    tag: 'ModuleVersions',
    summary: 'Get a module version',
    needs: 'module-definitions:read',
    params: IdParams,
    reply: [200, dataOf(ModuleVersion)],
    refuses: ['moduleVersionNotFound'],
  },
  deleteModuleVersion: {
    operationId: 'deleteModuleVersion',
    method: 'DELETE',
    path: '/module-versions/{id}',
    tag: 'ModuleVersions',
    summary: 'Delete a module version that no instance uses',
    needs: 'module-definitions:write',
    params: IdParams,
    reply: noContent,
    refuses: ['moduleVersionNotFound', 'moduleVersionInUse'],
  },
} as const satisfies RouteTable
