import { dataOf } from '../envelope.ts'
import { Principal } from '../principal.ts'
import type { RouteTable } from './route.ts'

export const authRoutes = {
  whoami: {
    operationId: 'whoami',
    method: 'GET',
    path: '/auth/whoami',
    tag: 'Auth',
    summary: 'Who is calling, and in which organization',
    needs: 'caller',
    reply: [200, dataOf(Principal)],
    refuses: [],
  },
} as const satisfies RouteTable
