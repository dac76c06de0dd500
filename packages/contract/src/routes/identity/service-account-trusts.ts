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
    permission: 'service-accounts:write',
    body: dataOf(CreateServiceAccountTrust),
    response: [201, dataOf(ServiceAccountTrust)],
    errors: ['referenceNotFound'],
  },
  listServiceAccountTrusts: {
    operationId: 'listServiceAccountTrusts',
    method: 'GET',
    path: '/service-account-trusts',
    tag: 'ServiceAccounts',
    summary: 'List service account trusts',
    permission: 'service-accounts:read',
    query: Type.Object({ ...pageParams, serviceAccountId: Type.Optional(Id) }, { additionalProperties: false }),
    response: [200, listOf(ServiceAccountTrust)],
    errors: ['cursorInvalid'],
  },
  getServiceAccountTrust: {
    operationId: 'getServiceAccountTrust',
    method: 'GET',
    path: '/service-account-trusts/{id}',
    tag: 'ServiceAccounts',
    summary: 'Get a service account trust',
    permission: 'service-accounts:read',
    params: IdParams,
    response: [200, dataOf(ServiceAccountTrust)],
    errors: ['serviceAccountTrustNotFound'],
  },
  deleteServiceAccountTrust: {
    operationId: 'deleteServiceAccountTrust',
    method: 'DELETE',
    path: '/service-account-trusts/{id}',
    tag: 'ServiceAccounts',
    summary: 'Delete a service account trust and revoke the tokens that it issued',
    permission: 'service-accounts:write',
    params: IdParams,
    response: noContent,
    errors: ['serviceAccountTrustNotFound'],
  },
  exchangeIdToken: {
    operationId: 'exchangeIdToken',
    method: 'POST',
    path: '/auth/token-exchange',
    tag: 'Auth',
    summary: 'Exchange an ID token of a trusted issuer for a bearer token of a service account',
    permission: 'anyone',
    body: dataOf(ExchangeIdToken),
    maxBodyBytes: 32 * 1024,
    response: [200, dataOf(ExchangedToken)],
    errors: ['idTokenRefused', 'issuerUnreachable'],
  },
} as const satisfies RouteTable
