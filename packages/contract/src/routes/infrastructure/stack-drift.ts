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
    needs: 'stacks:read',
    params: IdParams,
    reply: [200, dataOf(StackDrift)],
    refuses: ['stackNotFound'],
  },
  updateStackDrift: {
    operationId: 'updateStackDrift',
    method: 'PATCH',
    path: '/stacks/{id}/drift',
    tag: 'Stacks',
    summary: 'Update the drift settings of a stack',
    needs: 'stacks:write',
    on: { params: { id: 'stacks' } },
    params: IdParams,
    body: dataOf(UpdateStackDrift),
    reply: [200, dataOf(StackDrift)],
    refuses: ['stackNotFound', 'stackNotAvailable', 'referenceNotFound'],
  },
  checkStackDrift: {
    operationId: 'checkStackDrift',
    method: 'POST',
    path: '/stacks/{id}/drift/check',
    tag: 'Stacks',
    summary: 'Start a drift check, or return the one in progress',
    needs: 'stacks:write',
    on: { params: { id: 'stacks' } },
    params: IdParams,
    reply: [200, dataOf(StackDrift)],
    refuses: [
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
