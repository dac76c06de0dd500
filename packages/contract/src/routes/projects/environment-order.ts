import { EnvironmentOrder } from '../../projects/environment-order.ts'
import { dataOf } from '../../values/envelope.ts'
import { IdParams } from '../../values/ids.ts'
import type { RouteTable } from '../route.ts'

export const environmentOrderRoutes = {
  getEnvironmentOrder: {
    operationId: 'getEnvironmentOrder',
    method: 'GET',
    path: '/projects/{id}/environment-order',
    tag: 'Environments',
    summary: 'Get the environment order of a project',
    needs: 'environments:read',
    params: IdParams,
    reply: [200, dataOf(EnvironmentOrder)],
    refuses: ['projectNotFound'],
  },
  updateEnvironmentOrder: {
    operationId: 'updateEnvironmentOrder',
    method: 'PATCH',
    path: '/projects/{id}/environment-order',
    tag: 'Environments',
    summary: 'Update the environment order of a project; environments that are not listed come last',
    needs: 'environments:write',
    on: { params: { id: 'projects' } },
    params: IdParams,
    body: dataOf(EnvironmentOrder),
    reply: [200, dataOf(EnvironmentOrder)],
    refuses: ['projectNotFound', 'referenceNotFound'],
  },
} as const satisfies RouteTable
