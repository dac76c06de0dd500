import { Liveness, Readiness } from '../../interface/health.ts'
import { dataOf } from '../../values/envelope.ts'
import type { RouteTable } from '../route.ts'

export const healthRoutes = {
  getLiveness: {
    operationId: 'getLiveness',
    method: 'GET',
    path: '/health/live',
    tag: 'Health',
    summary: 'Whether the process runs',
    needs: 'anyone',
    reply: [200, dataOf(Liveness)],
    refuses: [],
  },
  getReadiness: {
    operationId: 'getReadiness',
    method: 'GET',
    path: '/health/ready',
    tag: 'Health',
    summary: 'Whether requests can be served; 503 with the failed checks in `metadata.checks` while they cannot',
    needs: 'anyone',
    reply: [200, dataOf(Readiness)],
    refuses: ['notReady'],
  },
} as const satisfies RouteTable
