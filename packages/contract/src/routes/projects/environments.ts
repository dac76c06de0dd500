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
    needs: 'environments:write',
    on: { body: { projectId: 'projects' } },
    body: dataOf(CreateEnvironment),
    reply: [201, dataOf(Environment)],
    refuses: ['referenceNotFound', 'environmentGivenIdTaken'],
  },
  listEnvironments: {
    operationId: 'listEnvironments',
    method: 'GET',
    path: '/environments',
    tag: 'Environments',
    summary: 'List environments',
    needs: 'environments:read',
    query: Type.Object({ ...pageParams, projectId: Type.Optional(Id) }, { additionalProperties: false }),
    reply: [200, listOf(Environment)],
    refuses: ['cursorInvalid'],
  },
  getEnvironment: {
    operationId: 'getEnvironment',
    method: 'GET',
    path: '/environments/{id}',
    tag: 'Environments',
    summary: 'Get an environment',
    needs: 'environments:read',
    params: IdParams,
    reply: [200, dataOf(Environment)],
    refuses: ['environmentNotFound'],
  },
  updateEnvironment: {
    operationId: 'updateEnvironment',
    method: 'PATCH',
    path: '/environments/{id}',
    tag: 'Environments',
    summary: 'Update an environment',
    needs: 'environments:write',
    on: { params: { id: 'environments' } },
    params: IdParams,
    body: dataOf(UpdateEnvironment),
    reply: [200, dataOf(Environment)],
    refuses: ['environmentNotFound', 'environmentGivenIdTaken'],
  },
  deleteEnvironment: {
    operationId: 'deleteEnvironment',
    method: 'DELETE',
    path: '/environments/{id}',
    tag: 'Environments',
    summary: 'Delete an environment with its default values and history',
    needs: 'environments:write',
    on: { params: { id: 'environments' } },
    params: IdParams,
    reply: noContent,
    refuses: ['environmentNotFound', 'environmentInUse'],
  },
} as const satisfies RouteTable
