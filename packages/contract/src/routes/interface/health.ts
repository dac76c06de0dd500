import { Liveness, Readiness } from '../../interface/health.ts'
import { dataOf } from '../../values/envelope.ts'
import type { RouteTable } from '../route.ts'

export const healthRoutes = {
  getLiveness: {
    operationId: 'getLiveness',
    method: 'GET',
    path: '/health/live',
    tag: 'Health',
    summary: 'Check whether the process is running',
    permission: 'anyone',
    response: [200, dataOf(Liveness)],
    errors: [],
  },
  getReadiness: {
    operationId: 'getReadiness',
    method: 'GET',
    path: '/health/ready',
    tag: 'Health',
    summary:
      'Check whether the process can serve requests; returns 503 with the failed checks in `metadata.checks` if not',
    permission: 'anyone',
    response: [200, dataOf(Readiness)],
    errors: ['notReady'],
  },
} as const satisfies RouteTable
