import { Inbox, UpdateInbox } from '../../interface/inbox.ts'
import { dataOf } from '../../values/envelope.ts'
import type { RouteTable } from '../route.ts'

/** Everybody sees and changes their own. */
export const inboxRoutes = {
  getInbox: {
    operationId: 'getInbox',
    method: 'GET',
    path: '/inbox',
    tag: 'User',
    summary: 'Get what waits for you, and what failed since you last said that you had seen it',
    needs: 'caller',
    reply: [200, dataOf(Inbox)],
    refuses: [],
  },
  updateInbox: {
    operationId: 'updateInbox',
    method: 'PATCH',
    path: '/inbox',
    tag: 'User',
    summary: 'Say up to when you have seen what failed',
    needs: 'caller',
    body: dataOf(UpdateInbox),
    reply: [200, dataOf(Inbox)],
    refuses: [],
  },
} as const satisfies RouteTable
