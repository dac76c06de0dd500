import { Type } from 'typebox'
import { HostName } from '../../cloud/certificate.ts'
import { CreateDomain, Domain } from '../../projects/domain.ts'
import { dataOf } from '../../values/envelope.ts'
import { Id, IdParams } from '../../values/ids.ts'
import { listOf, pageParams } from '../../values/list.ts'
import { noContent, type RouteTable } from '../route.ts'

const filters = { projectId: Type.Optional(Id), environmentId: Type.Optional(Id), name: Type.Optional(HostName) }

export const domainRoutes = {
  createDomain: {
    operationId: 'createDomain',
    method: 'POST',
    path: '/domains',
    tag: 'Domains',
    summary: 'Create a domain of an environment',
    permission: 'domains:write',
    on: { body: { environmentId: 'environments' } },
    body: dataOf(CreateDomain),
    response: [201, dataOf(Domain)],
    errors: ['referenceNotFound', 'domainTaken'],
  },
  listDomains: {
    operationId: 'listDomains',
    method: 'GET',
    path: '/domains',
    tag: 'Domains',
    summary: 'List domains',
    permission: 'domains:read',
    query: Type.Object({ ...pageParams, ...filters }, { additionalProperties: false }),
    response: [200, listOf(Domain)],
    errors: ['cursorInvalid'],
  },
  getDomain: {
    operationId: 'getDomain',
    method: 'GET',
    path: '/domains/{id}',
    tag: 'Domains',
    summary: 'Get a domain',
    permission: 'domains:read',
    params: IdParams,
    response: [200, dataOf(Domain)],
    errors: ['domainNotFound'],
  },
  deleteDomain: {
    operationId: 'deleteDomain',
    method: 'DELETE',
    path: '/domains/{id}',
    tag: 'Domains',
    summary: 'Delete a domain; its certificates and DNS records remain',
    permission: 'domains:write',
    on: { params: { id: 'domains' } },
    params: IdParams,
    response: noContent,
    errors: ['domainNotFound'],
  },
} as const satisfies RouteTable
