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
    needs: 'execution-environments:write',
    body: dataOf(CreateRunnerToken),
    reply: [201, dataOf(NewRunnerToken)],
    refuses: ['referenceNotFound', 'executionEnvironmentHasNoRunners'],
  },
  listRunnerTokens: {
    operationId: 'listRunnerTokens',
    method: 'GET',
    path: '/runner-tokens',
    tag: 'ExecutionEnvironments',
    summary: 'List registration tokens',
    needs: 'execution-environments:read',
    query: OfEnvironment,
    reply: [200, listOf(RunnerToken)],
    refuses: ['cursorInvalid'],
  },
  getRunnerToken: {
    operationId: 'getRunnerToken',
    method: 'GET',
    path: '/runner-tokens/{id}',
    tag: 'ExecutionEnvironments',
    summary: 'Get a registration token without its value',
    needs: 'execution-environments:read',
    params: IdParams,
    reply: [200, dataOf(RunnerToken)],
    refuses: ['runnerTokenNotFound'],
  },
  deleteRunnerToken: {
    operationId: 'deleteRunnerToken',
    method: 'DELETE',
    path: '/runner-tokens/{id}',
    tag: 'ExecutionEnvironments',
    summary: 'Revoke a registration token and disconnect its runners',
    needs: 'execution-environments:write',
    params: IdParams,
    reply: noContent,
    refuses: ['runnerTokenNotFound'],
  },
  listRunners: {
    operationId: 'listRunners',
    method: 'GET',
    path: '/runners',
    tag: 'ExecutionEnvironments',
    summary: 'List runners and the steps that they execute',
    needs: 'execution-environments:read',
    query: OfEnvironment,
    reply: [200, listOf(Runner)],
    refuses: ['cursorInvalid'],
  },
  getRunner: {
    operationId: 'getRunner',
    method: 'GET',
    path: '/runners/{id}',
    tag: 'ExecutionEnvironments',
    summary: 'Get a runner',
    needs: 'execution-environments:read',
    params: IdParams,
    reply: [200, dataOf(Runner)],
    refuses: ['runnerNotFound'],
  },
  updateRunner: {
    operationId: 'updateRunner',
    method: 'PATCH',
    path: '/runners/{id}',
    tag: 'ExecutionEnvironments',
    summary: 'Drain a runner or let it accept steps again',
    needs: 'execution-environments:write',
    params: IdParams,
    body: dataOf(UpdateRunner),
    reply: [200, dataOf(Runner)],
    refuses: ['runnerNotFound'],
  },
  deleteRunner: {
    operationId: 'deleteRunner',
    method: 'DELETE',
    path: '/runners/{id}',
    tag: 'ExecutionEnvironments',
    summary: 'Delete a runner; a runner that is still running registers again when it restarts',
    needs: 'execution-environments:write',
    params: IdParams,
    reply: noContent,
    refuses: ['runnerNotFound'],
  },
  listRunnerTasks: {
    operationId: 'listRunnerTasks',
    method: 'GET',
    path: '/runner-tasks',
    tag: 'ExecutionEnvironments',
    summary: 'List the tasks in cloud accounts that execute steps',
    needs: 'execution-environments:read',
    query: Type.Object(
      { ...pageParams, executionEnvironmentId: Type.Optional(Id), status: Type.Optional(RunnerTaskStatus) },
      { additionalProperties: false },
    ),
    reply: [200, listOf(RunnerTask)],
    refuses: ['cursorInvalid'],
  },
} as const satisfies RouteTable
