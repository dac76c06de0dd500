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
    permission: 'environments:read',
    params: IdParams,
    response: [200, dataOf(EnvironmentOrder)],
    errors: ['projectNotFound'],
  },
  updateEnvironmentOrder: {
    operationId: 'updateEnvironmentOrder',
    method: 'PATCH',
    path: '/projects/{id}/environment-order',
    tag: 'Environments',
    summary: 'Update the environment order of a project; environments that are not listed come last',
    permission: 'environments:write',
    on: { params: { id: 'projects' } },
    params: IdParams,
    body: dataOf(EnvironmentOrder),
    response: [200, dataOf(EnvironmentOrder)],
    errors: ['projectNotFound', 'referenceNotFound'],
  },
} as const satisfies RouteTable
