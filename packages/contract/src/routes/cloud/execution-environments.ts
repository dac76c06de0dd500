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
    permission: 'execution-environments:write',
    body: dataOf(CreateExecutionEnvironment),
    response: [201, dataOf(ExecutionEnvironment)],
    errors: ['referenceNotFound', 'executionEnvironmentGivenIdTaken', 'executionEnvironmentUnreachable'],
  },
  listExecutionEnvironments: {
    operationId: 'listExecutionEnvironments',
    method: 'GET',
    path: '/execution-environments',
    tag: 'ExecutionEnvironments',
    summary: 'List execution environments',
    permission: 'execution-environments:read',
    query: Type.Object({ ...pageParams, cloudAccountId: Type.Optional(Id) }, { additionalProperties: false }),
    response: [200, listOf(ExecutionEnvironment)],
    errors: ['cursorInvalid'],
  },
  getExecutionEnvironment: {
    operationId: 'getExecutionEnvironment',
    method: 'GET',
    path: '/execution-environments/{id}',
    tag: 'ExecutionEnvironments',
    summary: 'Get an execution environment',
    permission: 'execution-environments:read',
    params: IdParams,
    response: [200, dataOf(ExecutionEnvironment)],
    errors: ['executionEnvironmentNotFound'],
  },
  updateExecutionEnvironment: {
    operationId: 'updateExecutionEnvironment',
    method: 'PATCH',
    path: '/execution-environments/{id}',
    tag: 'ExecutionEnvironments',
    summary: 'Update an execution environment',
    permission: 'execution-environments:write',
    params: IdParams,
    body: dataOf(UpdateExecutionEnvironment),
    response: [200, dataOf(ExecutionEnvironment)],
    errors: ['executionEnvironmentNotFound', 'referenceNotFound', 'executionEnvironmentGivenIdTaken'],
  },
  checkExecutionEnvironment: {
    operationId: 'checkExecutionEnvironment',
    method: 'POST',
    path: '/execution-environments/{id}/check',
    tag: 'ExecutionEnvironments',
    summary: 'Check whether steps can run in an execution environment',
    permission: 'execution-environments:write',
    params: IdParams,
    response: [200, dataOf(ExecutionEnvironment)],
    errors: ['executionEnvironmentNotFound'],
  },
  deleteExecutionEnvironment: {
    operationId: 'deleteExecutionEnvironment',
    method: 'DELETE',
    path: '/execution-environments/{id}',
    tag: 'ExecutionEnvironments',
    summary: 'Delete an execution environment permanently',
    permission: 'execution-environments:write',
    params: IdParams,
    response: noContent,
    errors: ['executionEnvironmentNotFound', 'executionEnvironmentInUse'],
  },
} as const satisfies RouteTable
