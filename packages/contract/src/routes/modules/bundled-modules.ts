import { Type } from 'typebox'
import { BundledModule } from '../../modules/bundled-module.ts'
import type { RouteTable } from '../route.ts'

export const bundledModuleRoutes = {
  listBundledModules: {
    operationId: 'listBundledModules',
    method: 'GET',
    path: '/bundled-modules',
    tag: 'ModuleDefinitions',
    summary: 'List bundled modules',
    permission: 'module-definitions:read',
    response: [
      200,
      Type.Object(
        { data: Type.Array(BundledModule) },
        { additionalProperties: false, description: 'All bundled modules.' },
      ),
    ],
    errors: [],
  },
} as const satisfies RouteTable
