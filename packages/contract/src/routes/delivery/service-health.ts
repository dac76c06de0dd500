import { Type } from 'typebox'
import { ServiceHealths } from '../../delivery/service-health.ts'
import { Id } from '../../values/ids.ts'
import type { RouteTable } from '../route.ts'

/** So many at once: what a page shows. Ten of one cluster are one request to the cloud. */
const most = 60

export const serviceHealthRoutes = {
  listServiceHealth: {
    operationId: 'listServiceHealth',
    method: 'GET',
    path: '/service-health',
    tag: 'ModuleInstances',
    summary: 'Tell of several container services at once how many of their tasks run now',
    needs: 'module-instances:read',
    query: Type.Object(
      {
        ids: Type.Array(Id, {
          minItems: 1,
          maxItems: most,
          description: 'The module instances; repeat the parameter. Those that are not there are left out.',
        }),
      },
      { additionalProperties: false },
    ),
    reply: [200, ServiceHealths],
    refuses: [],
  },
} as const satisfies RouteTable
