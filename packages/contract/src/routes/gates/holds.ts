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
    needs: 'holds:write',
    isUrgent: true,
    on: { body: { environmentId: 'environments', moduleInstanceId: 'module-instances' } },
    body: dataOf(CreateHold),
    reply: [201, dataOf(Hold)],
    refuses: ['referenceNotFound', 'tooManyHolds'],
  },
  listHolds: {
    operationId: 'listHolds',
    method: 'GET',
    path: '/holds',
    tag: 'Holds',
    summary: 'List holds',
    needs: 'holds:read',
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
    reply: [200, listOf(Hold)],
    refuses: ['cursorInvalid'],
  },
  getHold: {
    operationId: 'getHold',
    method: 'GET',
    path: '/holds/{id}',
    tag: 'Holds',
    summary: 'Get a hold',
    needs: 'holds:read',
    params: IdParams,
    reply: [200, dataOf(Hold)],
    refuses: ['holdNotFound'],
  },
  liftHold: {
    operationId: 'liftHold',
    method: 'POST',
    path: '/holds/{id}/lift',
    tag: 'Holds',
    summary: 'Lift a hold',
    needs: 'holds:write',
    on: { params: { id: 'holds' } },
    params: IdParams,
    body: dataOf(LiftHold),
    reply: [200, dataOf(Hold)],
    refuses: ['holdNotFound', 'holdReleased'],
  },
  getHoldRule: {
    operationId: 'getHoldRule',
    method: 'GET',
    path: '/environments/{id}/hold-rule',
    tag: 'Holds',
    summary: 'Get the hold rule of an environment',
    needs: 'environments:read',
    params: IdParams,
    reply: [200, dataOf(HoldRule)],
    refuses: ['environmentNotFound'],
  },
  updateHoldRule: {
    operationId: 'updateHoldRule',
    method: 'PATCH',
    path: '/environments/{id}/hold-rule',
    tag: 'Holds',
    summary: 'Update the hold rule of an environment',
    needs: 'environments:write',
    on: { params: { id: 'environments' } },
    params: IdParams,
    body: dataOf(UpdateHoldRule),
    reply: [200, dataOf(HoldRule)],
    refuses: ['environmentNotFound'],
  },
} as const satisfies RouteTable
