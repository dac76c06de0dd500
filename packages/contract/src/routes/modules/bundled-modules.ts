import { Type } from 'typebox'
import { BundledModule } from '../../modules/bundled-module.ts'
import type { RouteTable } from '../route.ts'

export const bundledModuleRoutes = {
  listBundledModules: {
    operationId: 'listBundledModules',
    method: 'GET',
    path: '/bundled-modules',
    tag: 'ModuleDefinitions',
    summary: 'List the modules that come with Sluice, to be published as definitions and versions of your own',
    needs: 'module-definitions:read',
    reply: [
      200,
      Type.Object(
        { data: Type.Array(BundledModule) },
        { additionalProperties: false, description: 'All of them: there are few.' },
      ),
    ],
    refuses: [],
  },
} as const satisfies RouteTable
