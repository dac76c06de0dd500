import { CreateServiceAccount, ServiceAccount, UpdateServiceAccount } from '../../identity/service-account.ts'
import { dataOf } from '../../values/envelope.ts'
import { IdParams } from '../../values/ids.ts'
import { listOf, PageQuery } from '../../values/list.ts'
import { noContent, type RouteTable } from '../route.ts'

export const serviceAccountRoutes = {
  createServiceAccount: {
    operationId: 'createServiceAccount',
    method: 'POST',
    path: '/service-accounts',
    tag: 'ServiceAccounts',
    summary: 'Create a service account',
    needs: 'service-accounts:write',
    body: dataOf(CreateServiceAccount),
    reply: [201, dataOf(ServiceAccount)],
    refuses: ['serviceAccountNameTaken'],
  },
  listServiceAccounts: {
    operationId: 'listServiceAccounts',
    method: 'GET',
    path: '/service-accounts',
    tag: 'ServiceAccounts',
    summary: 'List service accounts',
    needs: 'service-accounts:read',
    query: PageQuery,
    reply: [200, listOf(ServiceAccount)],
    refuses: ['cursorInvalid'],
  },
  getServiceAccount: {
    operationId: 'getServiceAccount',
    method: 'GET',
    path: '/service-accounts/{id}',
    tag: 'ServiceAccounts',
    summary: 'Get a service account',
    needs: 'service-accounts:read',
    params: IdParams,
    reply: [200, dataOf(ServiceAccount)],
    refuses: ['serviceAccountNotFound'],
  },
  updateServiceAccount: {
    operationId: 'updateServiceAccount',
    method: 'PATCH',
    path: '/service-accounts/{id}',
    tag: 'ServiceAccounts',
    summary: 'Update the name or role of a service account',
    needs: 'service-accounts:write',
    params: IdParams,
    body: dataOf(UpdateServiceAccount),
    reply: [200, dataOf(ServiceAccount)],
    refuses: ['serviceAccountNotFound', 'serviceAccountNameTaken'],
  },
  deleteServiceAccount: {
    operationId: 'deleteServiceAccount',
    method: 'DELETE',
    path: '/service-accounts/{id}',
    tag: 'ServiceAccounts',
    summary: 'Delete a service account and its API keys',
    needs: 'service-accounts:write',
    params: IdParams,
    reply: noContent,
    refuses: ['serviceAccountNotFound'],
  },
} as const satisfies RouteTable
