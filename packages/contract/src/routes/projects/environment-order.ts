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
    summary: 'Get the order of the environments of a project',
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
    summary: 'Put the environments of a project in order; those that are left out come last',
    needs: 'environments:write',
    on: { params: { id: 'projects' } },
    params: IdParams,
    body: dataOf(EnvironmentOrder),
    reply: [200, dataOf(EnvironmentOrder)],
    refuses: ['projectNotFound', 'referenceNotFound'],
  },
} as const satisfies RouteTable
