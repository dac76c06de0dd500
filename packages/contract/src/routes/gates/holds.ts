import { Type } from 'typebox'
import { CreateHold, Hold, HoldRule, LiftHold, UpdateHoldRule } from '../../gates/hold.ts'
import { dataOf } from '../../values/envelope.ts'
import { Id, IdParams } from '../../values/ids.ts'
import { listOf, pageParams } from '../../values/list.ts'
import type { RouteTable } from '../route.ts'

const closed = { additionalProperties: false } as const

export const holdRoutes = {
  createHold: {
    operationId: 'createHold',
    method: 'POST',
    path: '/holds',
    tag: 'Holds',
    summary: 'Set a hold on a module instance or environment',
    permission: 'holds:write',
    isUrgent: true,
    on: { body: { environmentId: 'environments', moduleInstanceId: 'module-instances' } },
    body: dataOf(CreateHold),
    response: [201, dataOf(Hold)],
    errors: ['referenceNotFound', 'tooManyHolds'],
  },
  listHolds: {
    operationId: 'listHolds',
    method: 'GET',
    path: '/holds',
    tag: 'Holds',
    summary: 'List holds',
    permission: 'holds:read',
    query: Type.Object(
      {
        ...pageParams,
        projectId: Type.Optional(Id),
        environmentId: Type.Optional(Id),
        moduleInstanceId: Type.Optional(Id),
        includeLifted: Type.Boolean({ default: false, description: 'Whether to include lifted holds.' }),
      },
      closed,
    ),
    response: [200, listOf(Hold)],
    errors: ['cursorInvalid'],
  },
  getHold: {
    operationId: 'getHold',
    method: 'GET',
    path: '/holds/{id}',
    tag: 'Holds',
    summary: 'Get a hold',
    permission: 'holds:read',
    params: IdParams,
    response: [200, dataOf(Hold)],
    errors: ['holdNotFound'],
  },
  liftHold: {
    operationId: 'liftHold',
    method: 'POST',
    path: '/holds/{id}/lift',
    tag: 'Holds',
    summary: 'Lift a hold',
    permission: 'holds:write',
    on: { params: { id: 'holds' } },
    params: IdParams,
    body: dataOf(LiftHold),
    response: [200, dataOf(Hold)],
    errors: ['holdNotFound', 'holdReleased'],
  },
  getHoldRule: {
    operationId: 'getHoldRule',
    method: 'GET',
    path: '/environments/{id}/hold-rule',
    tag: 'Holds',
    summary: 'Get the hold rule of an environment',
    permission: 'environments:read',
    params: IdParams,
    response: [200, dataOf(HoldRule)],
    errors: ['environmentNotFound'],
  },
  updateHoldRule: {
    operationId: 'updateHoldRule',
    method: 'PATCH',
    path: '/environments/{id}/hold-rule',
    tag: 'Holds',
    summary: 'Update the hold rule of an environment',
    permission: 'environments:write',
    on: { params: { id: 'environments' } },
    params: IdParams,
    body: dataOf(UpdateHoldRule),
    response: [200, dataOf(HoldRule)],
    errors: ['environmentNotFound'],
  },
} as const satisfies RouteTable
