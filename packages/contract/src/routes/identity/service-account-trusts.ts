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
    summary: 'Let tokens of an issuer, such as those of CI, sign a service account in',
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
    summary: 'List whose tokens sign service accounts in',
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
    summary: 'Get what is believed of whom',
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
    summary: 'Trust no more; the tokens that were given for it end at once',
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
    summary: 'Sign a service account in with the token of an issuer that it trusts',
    needs: 'anyone',
    body: dataOf(ExchangeIdToken),
    maxBodyBytes: 32 * 1024,
    reply: [200, dataOf(ExchangedToken)],
    refuses: ['idTokenRefused', 'issuerUnreachable'],
  },
} as const satisfies RouteTable
