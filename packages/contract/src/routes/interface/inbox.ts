import { Inbox, UpdateInbox } from '../../interface/inbox.ts'
import { dataOf } from '../../values/envelope.ts'
import type { RouteTable } from '../route.ts'

/** Members see and change only their own inbox. */
export const inboxRoutes = {
  getInbox: {
    operationId: 'getInbox',
    method: 'GET',
    path: '/inbox',
    tag: 'User',
    summary: 'Get your pending decisions and unseen failures',
    permission: 'caller',
    response: [200, dataOf(Inbox)],
    errors: [],
  },
  updateInbox: {
    operationId: 'updateInbox',
    method: 'PATCH',
    path: '/inbox',
    tag: 'User',
    summary: 'Mark failures as seen up to a time',
    permission: 'caller',
    body: dataOf(UpdateInbox),
    response: [200, dataOf(Inbox)],
    errors: [],
  },
} as const satisfies RouteTable
