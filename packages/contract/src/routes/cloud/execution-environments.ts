import { Type } from 'typebox'
import {
  CreateExecutionEnvironment,
  ExecutionEnvironment,
  UpdateExecutionEnvironment,
} from '../../cloud/execution-environment.ts'
import { dataOf } from '../../values/envelope.ts'
import { Id, IdParams } from '../../values/ids.ts'
import { listOf, pageParams } from '../../values/list.ts'
import { noContent, type RouteTable } from '../route.ts'

export const executionEnvironmentRoutes = {
  createExecutionEnvironment: {
    operationId: 'createExecutionEnvironment',
    method: 'POST',
    path: '/execution-environments',
    tag: 'ExecutionEnvironments',
    summary: 'Create an execution environment',
    needs: 'execution-environments:write',
    body: dataOf(CreateExecutionEnvironment),
    reply: [201, dataOf(ExecutionEnvironment)],
    refuses: ['referenceNotFound', 'executionEnvironmentGivenIdTaken', 'executionEnvironmentUnreachable'],
  },
  listExecutionEnvironments: {
    operationId: 'listExecutionEnvironments',
    method: 'GET',
    path: '/execution-environments',
    tag: 'ExecutionEnvironments',
    summary: 'List execution environments',
    needs: 'execution-environments:read',
    query: Type.Object({ ...pageParams, cloudAccountId: Type.Optional(Id) }, { additionalProperties: false }),
    reply: [200, listOf(ExecutionEnvironment)],
    refuses: ['cursorInvalid'],
  },
  getExecutionEnvironment: {
    operationId: 'getExecutionEnvironment',
    method: 'GET',
    path: '/execution-environments/{id}',
    tag: 'ExecutionEnvironments',
    summary: 'Get an execution environment',
    needs: 'execution-environments:read',
    params: IdParams,
    reply: [200, dataOf(ExecutionEnvironment)],
    refuses: ['executionEnvironmentNotFound'],
  },
  updateExecutionEnvironment: {
    operationId: 'updateExecutionEnvironment',
    method: 'PATCH',
    path: '/execution-environments/{id}',
    tag: 'ExecutionEnvironments',
    summary: 'Update an execution environment',
    needs: 'execution-environments:write',
    params: IdParams,
    body: dataOf(UpdateExecutionEnvironment),
    reply: [200, dataOf(ExecutionEnvironment)],
    refuses: ['executionEnvironmentNotFound', 'referenceNotFound', 'executionEnvironmentGivenIdTaken'],
  },
  checkExecutionEnvironment: {
    operationId: 'checkExecutionEnvironment',
    method: 'POST',
    path: '/execution-environments/{id}/check',
    tag: 'ExecutionEnvironments',
    summary: 'Check whether steps can run in an execution environment',
    needs: 'execution-environments:write',
    params: IdParams,
    reply: [200, dataOf(ExecutionEnvironment)],
    refuses: ['executionEnvironmentNotFound'],
  },
  deleteExecutionEnvironment: {
    operationId: 'deleteExecutionEnvironment',
    method: 'DELETE',
    path: '/execution-environments/{id}',
    tag: 'ExecutionEnvironments',
    summary: 'Delete an execution environment permanently',
    needs: 'execution-environments:write',
    params: IdParams,
    reply: noContent,
    refuses: ['executionEnvironmentNotFound', 'executionEnvironmentInUse'],
  },
} as const satisfies RouteTable
