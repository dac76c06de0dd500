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
    needs: 'domains:write',
    on: { body: { environmentId: 'environments' } },
    body: dataOf(CreateDomain),
    reply: [201, dataOf(Domain)],
    refuses: ['referenceNotFound', 'domainTaken'],
  },
  listDomains: {
    operationId: 'listDomains',
    method: 'GET',
    path: '/domains',
    tag: 'Domains',
    summary: 'List domains',
    needs: 'domains:read',
    query: Type.Object({ ...pageParams, ...filters }, { additionalProperties: false }),
    reply: [200, listOf(Domain)],
    refuses: ['cursorInvalid'],
  },
  getDomain: {
    operationId: 'getDomain',
    method: 'GET',
    path: '/domains/{id}',
    tag: 'Domains',
    summary: 'Get a domain',
    needs: 'domains:read',
    params: IdParams,
    reply: [200, dataOf(Domain)],
    refuses: ['domainNotFound'],
  },
  deleteDomain: {
    operationId: 'deleteDomain',
    method: 'DELETE',
    path: '/domains/{id}',
    tag: 'Domains',
    summary: 'Delete a domain; its certificates and DNS records remain',
    needs: 'domains:write',
    on: { params: { id: 'domains' } },
    params: IdParams,
    reply: noContent,
    refuses: ['domainNotFound'],
  },
} as const satisfies RouteTable
