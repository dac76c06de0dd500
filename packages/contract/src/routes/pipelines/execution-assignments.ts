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
    needs: 'execution-environments:write',
    body: dataOf(CreateExecutionAssignment),
    reply: [201, dataOf(ExecutionAssignment)],
    refuses: ['referenceNotFound', 'executionAssignmentTaken'],
  },
  listExecutionAssignments: {
    operationId: 'listExecutionAssignments',
    method: 'GET',
    path: '/execution-assignments',
    tag: 'ExecutionEnvironments',
    summary: 'List execution environment assignments',
    needs: 'execution-environments:read',
    query: Type.Object(
      {
        ...pageParams,
        parentType: Type.Optional(ExecutionAssignmentParentType),
        parentId: Type.Optional(Id),
        executionEnvironmentId: Type.Optional(Id),
      },
      { additionalProperties: false },
    ),
    reply: [200, listOf(ExecutionAssignment)],
    refuses: ['cursorInvalid'],
  },
  getExecutionAssignment: {
    operationId: 'getExecutionAssignment',
    method: 'GET',
    path: '/execution-assignments/{id}',
    tag: 'ExecutionEnvironments',
    summary: 'Get an execution environment assignment',
    needs: 'execution-environments:read',
    params: IdParams,
    reply: [200, dataOf(ExecutionAssignment)],
    refuses: ['executionAssignmentNotFound'],
  },
  updateExecutionAssignment: {
    operationId: 'updateExecutionAssignment',
    method: 'PATCH',
    path: '/execution-assignments/{id}',
    tag: 'ExecutionEnvironments',
    summary: 'Update an execution environment assignment',
    needs: 'execution-environments:write',
    params: IdParams,
    body: dataOf(UpdateExecutionAssignment),
    reply: [200, dataOf(ExecutionAssignment)],
    refuses: ['executionAssignmentNotFound', 'referenceNotFound'],
  },
  deleteExecutionAssignment: {
    operationId: 'deleteExecutionAssignment',
    method: 'DELETE',
    path: '/execution-assignments/{id}',
    tag: 'ExecutionEnvironments',
    summary: 'Delete an execution environment assignment',
    needs: 'execution-environments:write',
    params: IdParams,
    reply: noContent,
    refuses: ['executionAssignmentNotFound'],
  },
} as const satisfies RouteTable
