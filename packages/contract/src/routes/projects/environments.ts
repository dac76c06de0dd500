import { Type } from 'typebox'
import { CreateEnvironment, Environment, UpdateEnvironment } from '../../projects/environment.ts'
import { dataOf } from '../../values/envelope.ts'
import { Id, IdParams } from '../../values/ids.ts'
import { listOf, pageParams } from '../../values/list.ts'
import { noContent, type RouteTable } from '../route.ts'

export const environmentRoutes = {
  createEnvironment: {
    operationId: 'createEnvironment',
    method: 'POST',
    path: '/environments',
    tag: 'Environments',
    summary: 'Create an environment in a project',
    permission: 'environments:write',
    on: { body: { projectId: 'projects' } },
    body: dataOf(CreateEnvironment),
    response: [201, dataOf(Environment)],
    errors: ['referenceNotFound', 'environmentGivenIdTaken'],
  },
  listEnvironments: {
    operationId: 'listEnvironments',
    method: 'GET',
    path: '/environments',
    tag: 'Environments',
    summary: 'List environments',
    permission: 'environments:read',
    query: Type.Object({ ...pageParams, projectId: Type.Optional(Id) }, { additionalProperties: false }),
    response: [200, listOf(Environment)],
    errors: ['cursorInvalid'],
  },
  getEnvironment: {
    operationId: 'getEnvironment',
    method: 'GET',
    path: '/environments/{id}',
    tag: 'Environments',
    summary: 'Get an environment',
    permission: 'environments:read',
    params: IdParams,
    response: [200, dataOf(Environment)],
    errors: ['environmentNotFound'],
  },
  updateEnvironment: {
    operationId: 'updateEnvironment',
    method: 'PATCH',
    path: '/environments/{id}',
    tag: 'Environments',
    summary: 'Update an environment',
    permission: 'environments:write',
    on: { params: { id: 'environments' } },
    params: IdParams,
    body: dataOf(UpdateEnvironment),
    response: [200, dataOf(Environment)],
    errors: ['environmentNotFound', 'environmentGivenIdTaken'],
  },
  deleteEnvironment: {
    operationId: 'deleteEnvironment',
    method: 'DELETE',
    path: '/environments/{id}',
    tag: 'Environments',
    summary: 'Delete an environment with its default values and history',
    permission: 'environments:write',
    on: { params: { id: 'environments' } },
    params: IdParams,
    response: noContent,
    errors: ['environmentNotFound', 'environmentInUse'],
  },
} as const satisfies RouteTable
