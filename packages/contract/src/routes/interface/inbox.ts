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
    needs: 'caller',
    reply: [200, dataOf(Inbox)],
    refuses: [],
  },
  updateInbox: {
    operationId: 'updateInbox',
    method: 'PATCH',
    path: '/inbox',
    tag: 'User',
    summary: 'Mark failures as seen up to a time',
    needs: 'caller',
    body: dataOf(UpdateInbox),
    reply: [200, dataOf(Inbox)],
    refuses: [],
  },
} as const satisfies RouteTable
