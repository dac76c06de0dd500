import { CloudAccount } from '../cloud-account.ts'
import { CloudEvent, CloudEventReceipt } from '../cloud-event.ts'
import { dataOf } from '../envelope.ts'
import { IdParams } from '../ids.ts'
import { listOf, PageQuery } from '../list.ts'
import type { RouteTable } from './route.ts'

export const cloudAccountRoutes = {
  listCloudAccounts: {
    operationId: 'listCloudAccounts',
    method: 'GET',
    path: '/cloud-accounts',
    tag: 'CloudAccounts',
    summary: 'List cloud accounts',
    needs: 'cloud-accounts:read',
    query: PageQuery,
    reply: [200, listOf(CloudAccount)],
    refuses: ['cursorInvalid'],
  },
  getCloudAccount: {
    operationId: 'getCloudAccount',
    method: 'GET',
    path: '/cloud-accounts/{id}',
    tag: 'CloudAccounts',
    summary: 'Get a cloud account',
    needs: 'cloud-accounts:read',
    params: IdParams,
    reply: [200, dataOf(CloudAccount)],
    refuses: ['cloudAccountNotFound'],
  },
  /** Called by the account's event bus with its event secret in `eventSecretHeader` instead of a bearer token. */
  receiveCloudEvent: {
    operationId: 'receiveCloudEvent',
    method: 'POST',
    path: '/cloud-accounts/{id}/events',
    tag: 'InfrastructureEvents',
    summary: "Take an event from the account's event bus",
    needs: 'anyone',
    params: IdParams,
    body: CloudEvent,
    reply: [202, dataOf(CloudEventReceipt)],
    refuses: ['eventSecretWrong', 'eventAccountWrong'],
  },
} as const satisfies RouteTable
