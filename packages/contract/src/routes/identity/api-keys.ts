import { Type } from 'typebox'
import { ApiKey, CreateApiKey, NewApiKey } from '../../identity/api-key.ts'
import { dataOf } from '../../values/envelope.ts'
import { Id, IdParams } from '../../values/ids.ts'
import { listOf, pageParams } from '../../values/list.ts'
import { noContent, type RouteTable } from '../route.ts'

/** Callers manage their own keys, or with the permission `api-keys:write` those of the whole organization. */
export const apiKeyRoutes = {
  createApiKey: {
    operationId: 'createApiKey',
    method: 'POST',
    path: '/api-keys',
    tag: 'ApiKeys',
    summary: 'Create an API key',
    permission: 'caller',
    body: dataOf(CreateApiKey),
    response: [201, dataOf(NewApiKey)],
    errors: ['referenceNotFound'],
  },
  listApiKeys: {
    operationId: 'listApiKeys',
    method: 'GET',
    path: '/api-keys',
    tag: 'ApiKeys',
    summary: "List your API keys, or all of the organization's as an owner",
    permission: 'caller',
    query: Type.Object(
      { ...pageParams, membershipId: Type.Optional(Id), serviceAccountId: Type.Optional(Id) },
      { additionalProperties: false },
    ),
    response: [200, listOf(ApiKey)],
    errors: ['cursorInvalid'],
  },
  getApiKey: {
    operationId: 'getApiKey',
    method: 'GET',
    path: '/api-keys/{id}',
    tag: 'ApiKeys',
    summary: 'Get an API key without its token',
    permission: 'caller',
    params: IdParams,
    response: [200, dataOf(ApiKey)],
    errors: ['apiKeyNotFound'],
  },
  deleteApiKey: {
    operationId: 'deleteApiKey',
    method: 'DELETE',
    path: '/api-keys/{id}',
    tag: 'ApiKeys',
    summary: 'Revoke an API key',
    permission: 'caller',
    params: IdParams,
    response: noContent,
    errors: ['apiKeyNotFound'],
  },
} as const satisfies RouteTable
