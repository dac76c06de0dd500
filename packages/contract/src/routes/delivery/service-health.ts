import { Type } from 'typebox'
import { ServiceHealths } from '../../delivery/service-health.ts'
import { Id } from '../../values/ids.ts'
import type { RouteTable } from '../route.ts'

/**
 * Maximum number of services in one request: one page of the console. Ten services of a cluster need one request to the
 * cloud.
 */
const maxServices = 60

export const serviceHealthRoutes = {
  listServiceHealth: {
    operationId: 'listServiceHealth',
    method: 'GET',
    path: '/service-health',
    tag: 'ModuleInstances',
    summary: 'Get the task counts of several container services',
    permission: 'module-instances:read',
    query: Type.Object(
      {
        ids: Type.Array(Id, {
          minItems: 1,
          maxItems: maxServices,
          description: 'IDs of module instances. Repeat the parameter for several. Unknown IDs are ignored.',
        }),
      },
      { additionalProperties: false },
    ),
    response: [200, ServiceHealths],
    errors: [],
  },
} as const satisfies RouteTable
