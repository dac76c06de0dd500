import { Type } from 'typebox'
import {
  CreateServiceAccountTrust,
  ExchangedToken,
  ExchangeIdToken,
  ServiceAccountTrust,
} from '../../identity/service-account-trust.ts'
import { dataOf } from '../../values/envelope.ts'
import { Id, IdParams } from '../../values/ids.ts'
import { listOf, pageParams } from '../../values/list.ts'
import { noContent, type RouteTable } from '../route.ts'

export const serviceAccountTrustRoutes = {
  createServiceAccountTrust: {
    operationId: 'createServiceAccountTrust',
    method: 'POST',
    path: '/service-account-trusts',
    tag: 'ServiceAccounts',
    summary: 'Trust an issuer, such as a CI service, to authenticate a service account',
    needs: 'service-accounts:write',
    body: dataOf(CreateServiceAccountTrust),
    reply: [201, dataOf(ServiceAccountTrust)],
    refuses: ['referenceNotFound'],
  },
  listServiceAccountTrusts: {
    operationId: 'listServiceAccountTrusts',
    method: 'GET',
    path: '/service-account-trusts',
    tag: 'ServiceAccounts',
    summary: 'List service account trusts',
    needs: 'service-accounts:read',
    query: Type.Object({ ...pageParams, serviceAccountId: Type.Optional(Id) }, { additionalProperties: false }),
    reply: [200, listOf(ServiceAccountTrust)],
    refuses: ['cursorInvalid'],
  },
  getServiceAccountTrust: {
    operationId: 'getServiceAccountTrust',
    method: 'GET',
    path: '/service-account-trusts/{id}',
    tag: 'ServiceAccounts',
    summary: 'Get a service account trust',
    needs: 'service-accounts:read',
    params: IdParams,
    reply: [200, dataOf(ServiceAccountTrust)],
    refuses: ['serviceAccountTrustNotFound'],
  },
  deleteServiceAccountTrust: {
    operationId: 'deleteServiceAccountTrust',
    method: 'DELETE',
    path: '/service-account-trusts/{id}',
    tag: 'ServiceAccounts',
    summary: 'Delete a service account trust and revoke the tokens that it issued',
    needs: 'service-accounts:write',
    params: IdParams,
    reply: noContent,
    refuses: ['serviceAccountTrustNotFound'],
  },
  exchangeIdToken: {
    operationId: 'exchangeIdToken',
    method: 'POST',
    path: '/auth/token-exchange',
    tag: 'Auth',
    summary: 'Exchange an ID token of a trusted issuer for a bearer token of a service account',
    needs: 'anyone',
    body: dataOf(ExchangeIdToken),
    maxBodyBytes: 32 * 1024,
    reply: [200, dataOf(ExchangedToken)],
    refuses: ['idTokenRefused', 'issuerUnreachable'],
  },
} as const satisfies RouteTable
