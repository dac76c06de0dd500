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
    permission: 'service-accounts:write',
    body: dataOf(CreateServiceAccount),
    response: [201, dataOf(ServiceAccount)],
    errors: ['serviceAccountNameTaken'],
  },
  listServiceAccounts: {
    operationId: 'listServiceAccounts',
    method: 'GET',
    path: '/service-accounts',
    tag: 'ServiceAccounts',
    summary: 'List service accounts',
    permission: 'service-accounts:read',
    query: PageQuery,
    response: [200, listOf(ServiceAccount)],
    errors: ['cursorInvalid'],
  },
  getServiceAccount: {
    operationId: 'getServiceAccount',
    method: 'GET',
    path: '/service-accounts/{id}',
    tag: 'ServiceAccounts',
    summary: 'Get a service account',
    permission: 'service-accounts:read',
    params: IdParams,
    response: [200, dataOf(ServiceAccount)],
    errors: ['serviceAccountNotFound'],
  },
  updateServiceAccount: {
    operationId: 'updateServiceAccount',
    method: 'PATCH',
    path: '/service-accounts/{id}',
    tag: 'ServiceAccounts',
    summary: 'Update the name or role of a service account',
    permission: 'service-accounts:write',
    params: IdParams,
    body: dataOf(UpdateServiceAccount),
    response: [200, dataOf(ServiceAccount)],
    errors: ['serviceAccountNotFound', 'serviceAccountNameTaken'],
  },
  deleteServiceAccount: {
    operationId: 'deleteServiceAccount',
    method: 'DELETE',
    path: '/service-accounts/{id}',
    tag: 'ServiceAccounts',
    summary: 'Delete a service account and its API keys',
    permission: 'service-accounts:write',
    params: IdParams,
    response: noContent,
    errors: ['serviceAccountNotFound'],
  },
} as const satisfies RouteTable
