import type { Shape } from './shape.fixture.ts'
import * as shapes from './shapes.fixture.ts'

const { dataOf, listOf } = shapes

/** Row of section 4 of the interface specification. */
export type Operation = {
  /** Number in that section. */
  number: number
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  path: string
  /** Status of a success, decided where the specification only shows the body. */
  status: number
  /** Complete body of a success; absent if there is none. */
  answer?: Shape
  /** Fields of `data` in the request, with values of a wrong type; absent if there is no body. */
  body?: { required: Record<string, unknown>; optional: Record<string, unknown> }
  /** Statuses of errors that every caller of this operation can get. */
  errors: number[]
}

const page = [400, 401]
const onOne = [401, 404]
const change = [400, 401, 403, 404]

// Transcribed manually from section 4, independent of the contract package.
export const operations: Operation[] = [
  {
    number: 1,
    method: 'POST',
    path: '/deployments/{id}/continue',
    status: 200,
    answer: dataOf(shapes.deployment),
    body: { required: {}, optional: { hookId: 5 } },
    errors: [400, 401, 403, 404, 422],
  },
  { number: 2, method: 'GET', path: '/auth/whoami', status: 200, answer: dataOf(shapes.principal), errors: [401] },
  {
    number: 3,
    method: 'GET',
    path: '/default-values',
    status: 200,
    answer: listOf(shapes.defaultValue),
    errors: page,
  },
  {
    number: 4,
    method: 'GET',
    path: '/default-values/{id}',
    status: 200,
    answer: dataOf(shapes.defaultValue),
    errors: onOne,
  },
  {
    number: 5,
    method: 'PATCH',
    path: '/default-values/{id}',
    status: 200,
    answer: dataOf(shapes.defaultValue),
    body: { required: {}, optional: {} }, // `value` accepts any JSON, so that no type is wrong
    errors: change,
  },
  { number: 6, method: 'DELETE', path: '/default-values/{id}', status: 204, errors: [401, 403, 404] },
  {
    number: 7,
    method: 'POST',
    path: '/deployments',
    status: 201,
    answer: dataOf(shapes.deployment),
    body: { required: { description: 5, moduleInstanceId: 5 }, optional: { inputs: 'text' } },
    errors: change,
  },
  {
    number: 8,
    method: 'POST',
    path: '/deployments/{id}/redeploy',
    status: 201,
    answer: dataOf(shapes.deployment),
    errors: [401, 403, 404],
  },
  {
    number: 9,
    method: 'GET',
    path: '/module-instances',
    status: 200,
    answer: listOf(shapes.moduleInstance),
    errors: page,
  },
  {
    number: 10,
    method: 'PATCH',
    path: '/module-instances/{id}',
    status: 200,
    answer: dataOf(shapes.moduleInstance),
    body: {
      required: {},
      optional: {
        autoapprove: 'yes',
        description: 5,
        environmentId: 5,
        givenId: 5,
        input: 'text',
        moduleDefinitionId: 5,
        moduleVersionId: 5,
        name: 5,
        runStack: 'yes',
      },
    },
    errors: change,
  },
  { number: 11, method: 'GET', path: '/pipelines', status: 200, answer: listOf(shapes.pipeline), errors: page },
  {
    number: 12,
    method: 'PATCH',
    path: '/pipelines/{id}',
    status: 200,
    answer: dataOf(shapes.pipeline),
    body: { required: {}, optional: { description: 5, givenId: 5, name: 5, projectId: 5 } },
    errors: change,
  },
  {
    number: 13,
    method: 'POST',
    path: '/pipeline-versions',
    status: 201,
    answer: dataOf(shapes.pipelineVersion),
    body: { required: { config: 'text', pipelineId: 5 }, optional: { dryRun: 'yes' } },
    errors: [400, 401, 403],
  },
  {
    number: 14,
    method: 'POST',
    path: '/code-sources',
    status: 201,
    answer: dataOf(shapes.codeSource),
    body: { required: { type: 5, repoUrl: 5, githostaInstallationId: 5 }, optional: {} },
    errors: [400, 401, 403],
  },
  {
    number: 15,
    method: 'GET',
    path: '/code-source/{id}/branches',
    status: 200,
    answer: { data: { each: { name: 'string' } } },
    errors: onOne,
  },
  {
    number: 16,
    method: 'GET',
    path: '/cloud-accounts',
    status: 200,
    answer: listOf(shapes.cloudAccount),
    errors: page,
  },
  {
    number: 17,
    method: 'POST',
    path: '/cloud-accounts',
    status: 201,
    answer: dataOf(shapes.cloudAccount),
    body: { required: { givenId: 5, name: 5 }, optional: {} },
    errors: [400, 401, 403],
  },
  {
    number: 18,
    method: 'GET',
    path: '/module-definitions',
    status: 200,
    answer: listOf(shapes.moduleDefinition),
    errors: page,
  },
  {
    number: 19,
    method: 'GET',
    path: '/module-definitions/{id}',
    status: 200,
    answer: dataOf(shapes.moduleDefinition),
    errors: onOne,
  },
  { number: 20, method: 'DELETE', path: '/execution-environments/{id}', status: 204, errors: [401, 403, 404] },
  {
    number: 21,
    method: 'GET',
    path: '/iac-resources/{id}',
    status: 200,
    answer: dataOf(shapes.iacResource),
    errors: onOne,
  },
  {
    number: 22,
    method: 'GET',
    path: '/iac-resources/{address}/change-summary',
    status: 200,
    answer: dataOf(shapes.changeSummary),
    errors: [400, 401, 404],
  },
  {
    number: 23,
    method: 'POST',
    path: '/pipeline-step-executions/{id}/approve',
    status: 200,
    answer: dataOf(shapes.pipelineStepExecution),
    errors: [401, 403, 404, 422],
  },
  { number: 24, method: 'GET', path: '/git-host-b/callback', status: 302, errors: [400] },
]
