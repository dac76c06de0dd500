import { Type } from 'typebox'
import {
  ImportableResourcePage,
  ImportableType,
  ImportModuleInstance,
  ModuleImport,
} from '../../delivery/module-import.ts'
import { dataOf } from '../../values/envelope.ts'
import { IdParams } from '../../values/ids.ts'
import { pageParams } from '../../values/list.ts'
import type { RouteTable } from '../route.ts'

export const moduleImportRoutes = {
  listImportable: {
    operationId: 'listImportable',
    method: 'GET',
    path: '/cloud-accounts/{id}/importable',
    tag: 'AwsAccounts',
    summary: 'List the resources in a cloud account that can be imported',
    permission: 'module-instances:write',
    params: IdParams,
    query: Type.Object(
      {
        limit: pageParams.limit,
        cursor: pageParams.cursor,
        type: ImportableType,
        region: Type.String({
          pattern: '^[a-z]{2}(-[a-z]+)+-\\d$',
          maxLength: 40,
          examples: ['eu-west-1'],
          description: 'Region to search. Ignored for resource types without a region.',
        }),
      },
      { additionalProperties: false },
    ),
    response: [200, ImportableResourcePage],
    errors: ['cloudAccountNotFound', 'cursorInvalid'],
  },
  importModuleInstance: {
    operationId: 'importModuleInstance',
    method: 'POST',
    path: '/module-instances/import',
    tag: 'ModuleInstances',
    summary: 'Import a running resource as a module instance, with its current release as the first deployment',
    permission: 'module-instances:write',
    on: { body: { environmentId: 'environments' } },
    body: dataOf(ImportModuleInstance),
    response: [201, dataOf(ModuleImport)],
    otherStatuses: [200],
    errors: [
      'referenceNotFound',
      'moduleInputInvalid',
      'moduleInstanceGivenIdTaken',
      'releaseInvalid',
      'importNotPossible',
      'importTaken',
      'cloudAccountNotConnected',
      'importRefused',
      'cloudUnreachable',
    ],
  },
} as const satisfies RouteTable
