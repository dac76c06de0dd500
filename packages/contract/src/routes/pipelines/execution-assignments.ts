import { Type } from 'typebox'
import {
  CreateExecutionAssignment,
  ExecutionAssignment,
  ExecutionAssignmentParentType,
  UpdateExecutionAssignment,
} from '../../pipelines/execution-assignment.ts'
import { dataOf } from '../../values/envelope.ts'
import { Id, IdParams } from '../../values/ids.ts'
import { listOf, pageParams } from '../../values/list.ts'
import { noContent, type RouteTable } from '../route.ts'

export const executionAssignmentRoutes = {
  createExecutionAssignment: {
    operationId: 'createExecutionAssignment',
    method: 'POST',
    path: '/execution-assignments',
    tag: 'ExecutionEnvironments',
    summary: 'Assign an execution environment to a resource',
    permission: 'execution-environments:write',
    body: dataOf(CreateExecutionAssignment),
    response: [201, dataOf(ExecutionAssignment)],
    errors: ['referenceNotFound', 'executionAssignmentTaken'],
  },
  listExecutionAssignments: {
    operationId: 'listExecutionAssignments',
    method: 'GET',
    path: '/execution-assignments',
    tag: 'ExecutionEnvironments',
    summary: 'List execution environment assignments',
    permission: 'execution-environments:read',
    query: Type.Object(
      {
        ...pageParams,
        parentType: Type.Optional(ExecutionAssignmentParentType),
        parentId: Type.Optional(Id),
        executionEnvironmentId: Type.Optional(Id),
      },
      { additionalProperties: false },
    ),
    response: [200, listOf(ExecutionAssignment)],
    errors: ['cursorInvalid'],
  },
  getExecutionAssignment: {
    operationId: 'getExecutionAssignment',
    method: 'GET',
    path: '/execution-assignments/{id}',
    tag: 'ExecutionEnvironments',
    summary: 'Get an execution environment assignment',
    permission: 'execution-environments:read',
    params: IdParams,
    response: [200, dataOf(ExecutionAssignment)],
    errors: ['executionAssignmentNotFound'],
  },
  updateExecutionAssignment: {
    operationId: 'updateExecutionAssignment',
    method: 'PATCH',
    path: '/execution-assignments/{id}',
    tag: 'ExecutionEnvironments',
    summary: 'Update an execution environment assignment',
    permission: 'execution-environments:write',
    params: IdParams,
    body: dataOf(UpdateExecutionAssignment),
    response: [200, dataOf(ExecutionAssignment)],
    errors: ['executionAssignmentNotFound', 'referenceNotFound'],
  },
  deleteExecutionAssignment: {
    operationId: 'deleteExecutionAssignment',
    method: 'DELETE',
    path: '/execution-assignments/{id}',
    tag: 'ExecutionEnvironments',
    summary: 'Delete an execution environment assignment',
    permission: 'execution-environments:write',
    params: IdParams,
    response: noContent,
    errors: ['executionAssignmentNotFound'],
  },
} as const satisfies RouteTable
