import { Limits } from '../../identity/limit.ts'
import { dataOf } from '../../values/envelope.ts'
import type { RouteTable } from '../route.ts'

export const limitRoutes = {
  getLimits: {
    operationId: 'getLimits',
    method: 'GET',
    path: '/limits',
    tag: 'Organizations',
    summary: 'What the organization and the key may take, and take now',
    needs: 'caller',
    reply: [200, dataOf(Limits)],
    refuses: [],
  },
} as const satisfies RouteTable
