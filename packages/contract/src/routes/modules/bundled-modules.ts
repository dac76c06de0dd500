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
    needs: 'module-definitions:read',
    reply: [
      200,
      Type.Object(
        { data: Type.Array(BundledModule) },
        { additionalProperties: false, description: 'All bundled modules.' },
      ),
    ],
    refuses: [],
  },
} as const satisfies RouteTable
