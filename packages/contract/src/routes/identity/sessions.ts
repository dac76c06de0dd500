import { Session } from '../../identity/session.ts'
import { IdParams } from '../../values/ids.ts'
import { listOf, PageQuery } from '../../values/list.ts'
import { noContent, type RouteTable } from '../route.ts'

/** Users list and end only their own sessions in the organization. */
export const sessionRoutes = {
  listSessions: {
    operationId: 'listSessions',
    method: 'GET',
    path: '/sessions',
    tag: 'Auth',
    summary: 'List your sessions in this organization',
    permission: 'caller',
    query: PageQuery,
    response: [200, listOf(Session)],
    errors: ['cursorInvalid'],
  },
  deleteSession: {
    operationId: 'deleteSession',
    method: 'DELETE',
    path: '/sessions/{id}',
    tag: 'Auth',
    summary: 'End one of your sessions',
    permission: 'caller',
    params: IdParams,
    response: noContent,
    errors: ['sessionNotFound'],
  },
} as const satisfies RouteTable
