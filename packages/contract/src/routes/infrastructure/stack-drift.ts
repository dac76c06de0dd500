import { StackDrift, UpdateStackDrift } from '../../infrastructure/stack-drift.ts'
import { dataOf } from '../../values/envelope.ts'
import { IdParams } from '../../values/ids.ts'
import type { RouteTable } from '../route.ts'

export const stackDriftRoutes = {
  getStackDrift: {
    operationId: 'getStackDrift',
    method: 'GET',
    path: '/stacks/{id}/drift',
    tag: 'Stacks',
    summary: 'Get the drift of a stack and its check schedule',
    permission: 'stacks:read',
    params: IdParams,
    response: [200, dataOf(StackDrift)],
    errors: ['stackNotFound'],
  },
  updateStackDrift: {
    operationId: 'updateStackDrift',
    method: 'PATCH',
    path: '/stacks/{id}/drift',
    tag: 'Stacks',
    summary: 'Update the drift settings of a stack',
    permission: 'stacks:write',
    on: { params: { id: 'stacks' } },
    params: IdParams,
    body: dataOf(UpdateStackDrift),
    response: [200, dataOf(StackDrift)],
    errors: ['stackNotFound', 'stackNotAvailable', 'referenceNotFound'],
  },
  checkStackDrift: {
    operationId: 'checkStackDrift',
    method: 'POST',
    path: '/stacks/{id}/drift/check',
    tag: 'Stacks',
    summary: 'Start a drift check, or return the one in progress',
    permission: 'stacks:write',
    on: { params: { id: 'stacks' } },
    params: IdParams,
    response: [200, dataOf(StackDrift)],
    errors: [
      'stackNotFound',
      'stackNotAvailable',
      'stackInvalid',
      'moduleInputInvalid',
      'pipelineHasNoVersion',
      'runInputInvalid',
      'runTemplateFailed',
      'runPlaceUnknown',
      'previewInProduction',
      'runGroupBusy',
      'runChainTooLong',
    ],
  },
} as const satisfies RouteTable
