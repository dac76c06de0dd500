import { Limits } from '../../identity/limit.ts'
import { dataOf } from '../../values/envelope.ts'
import type { RouteTable } from '../route.ts'

export const limitRoutes = {
  getLimits: {
    operationId: 'getLimits',
    method: 'GET',
    path: '/limits',
    tag: 'Organizations',
    summary: 'Get the limits of the organization and the caller, with current use',
    permission: 'caller',
    response: [200, dataOf(Limits)],
    errors: [],
  },
} as const satisfies RouteTable
