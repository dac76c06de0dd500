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
    needs: 'caller',
    body: dataOf(CreateApiKey),
    reply: [201, dataOf(NewApiKey)],
    refuses: ['referenceNotFound'],
  },
  listApiKeys: {
    operationId: 'listApiKeys',
    method: 'GET',
    path: '/api-keys',
    tag: 'ApiKeys',
    summary: "List your API keys, or all of the organization's as an owner",
    needs: 'caller',
    query: Type.Object(
      { ...pageParams, membershipId: Type.Optional(Id), serviceAccountId: Type.Optional(Id) },
      { additionalProperties: false },
    ),
    reply: [200, listOf(ApiKey)],
    refuses: ['cursorInvalid'],
  },
  getApiKey: {
    operationId: 'getApiKey',
    method: 'GET',
    path: '/api-keys/{id}',
    tag: 'ApiKeys',
    summary: 'Get an API key without its token',
    needs: 'caller',
    params: IdParams,
    reply: [200, dataOf(ApiKey)],
    refuses: ['apiKeyNotFound'],
  },
  deleteApiKey: {
    operationId: 'deleteApiKey',
    method: 'DELETE',
    path: '/api-keys/{id}',
    tag: 'ApiKeys',
    summary: 'Revoke an API key',
    needs: 'caller',
    params: IdParams,
    reply: noContent,
    refuses: ['apiKeyNotFound'],
  },
} as const satisfies RouteTable
