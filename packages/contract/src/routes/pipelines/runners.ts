import { Type } from 'typebox'
import { RunnerTask, RunnerTaskStatus } from '../../cloud/runner-task.ts'
import { Runner, UpdateRunner } from '../../pipelines/runner.ts'
import { CreateRunnerToken, NewRunnerToken, RunnerToken } from '../../pipelines/runner-token.ts'
import { dataOf } from '../../values/envelope.ts'
import { Id, IdParams } from '../../values/ids.ts'
import { listOf, pageParams } from '../../values/list.ts'
import { noContent, type RouteTable } from '../route.ts'

const OfEnvironment = Type.Object(
  { ...pageParams, executionEnvironmentId: Type.Optional(Id) },
  { additionalProperties: false },
)

export const runnerRoutes = {
  createRunnerToken: {
    operationId: 'createRunnerToken',
    method: 'POST',
    path: '/runner-tokens',
    tag: 'ExecutionEnvironments',
    summary: 'Create a registration token for runners',
    permission: 'execution-environments:write',
    body: dataOf(CreateRunnerToken),
    response: [201, dataOf(NewRunnerToken)],
    errors: ['referenceNotFound', 'executionEnvironmentHasNoRunners'],
  },
  listRunnerTokens: {
    operationId: 'listRunnerTokens',
    method: 'GET',
    path: '/runner-tokens',
    tag: 'ExecutionEnvironments',
    summary: 'List registration tokens',
    permission: 'execution-environments:read',
    query: OfEnvironment,
    response: [200, listOf(RunnerToken)],
    errors: ['cursorInvalid'],
  },
  getRunnerToken: {
    operationId: 'getRunnerToken',
    method: 'GET',
    path: '/runner-tokens/{id}',
    tag: 'ExecutionEnvironments',
    summary: 'Get a registration token without its value',
    permission: 'execution-environments:read',
    params: IdParams,
    response: [200, dataOf(RunnerToken)],
    errors: ['runnerTokenNotFound'],
  },
  deleteRunnerToken: {
    operationId: 'deleteRunnerToken',
    method: 'DELETE',
    path: '/runner-tokens/{id}',
    tag: 'ExecutionEnvironments',
    summary: 'Revoke a registration token and disconnect its runners',
    permission: 'execution-environments:write',
    params: IdParams,
    response: noContent,
    errors: ['runnerTokenNotFound'],
  },
  listRunners: {
    operationId: 'listRunners',
    method: 'GET',
    path: '/runners',
    tag: 'ExecutionEnvironments',
    summary: 'List runners and the steps that they execute',
    permission: 'execution-environments:read',
    query: OfEnvironment,
    response: [200, listOf(Runner)],
    errors: ['cursorInvalid'],
  },
  getRunner: {
    operationId: 'getRunner',
    method: 'GET',
    path: '/runners/{id}',
    tag: 'ExecutionEnvironments',
    summary: 'Get a runner',
    permission: 'execution-environments:read',
    params: IdParams,
    response: [200, dataOf(Runner)],
    errors: ['runnerNotFound'],
  },
  updateRunner: {
    operationId: 'updateRunner',
    method: 'PATCH',
    path: '/runners/{id}',
    tag: 'ExecutionEnvironments',
    summary: 'Drain a runner or let it accept steps again',
    permission: 'execution-environments:write',
    params: IdParams,
    body: dataOf(UpdateRunner),
    response: [200, dataOf(Runner)],
    errors: ['runnerNotFound'],
  },
  deleteRunner: {
    operationId: 'deleteRunner',
    method: 'DELETE',
    path: '/runners/{id}',
    tag: 'ExecutionEnvironments',
    summary: 'Delete a runner; a runner that is still running registers again when it restarts',
    permission: 'execution-environments:write',
    params: IdParams,
    response: noContent,
    errors: ['runnerNotFound'],
  },
  listRunnerTasks: {
    operationId: 'listRunnerTasks',
    method: 'GET',
    path: '/runner-tasks',
    tag: 'ExecutionEnvironments',
    summary: 'List the tasks in cloud accounts that execute steps',
    permission: 'execution-environments:read',
    query: Type.Object(
      { ...pageParams, executionEnvironmentId: Type.Optional(Id), status: Type.Optional(RunnerTaskStatus) },
      { additionalProperties: false },
    ),
    response: [200, listOf(RunnerTask)],
    errors: ['cursorInvalid'],
  },
} as const satisfies RouteTable
