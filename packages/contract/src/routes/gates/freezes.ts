import { Type } from 'typebox'
import { CreateFreeze, CreateFreezeOverride, Freeze, FreezeOverride, UpdateFreeze } from '../../gates/freeze.ts'
import { dataOf } from '../../values/envelope.ts'
import { Id, IdParams } from '../../values/ids.ts'
import { dataWith, includeOf } from '../../values/include.ts'
import { listOf, pageParams } from '../../values/list.ts'
import { noContent, type RouteTable } from '../route.ts'

const closed = { additionalProperties: false } as const
const filters = { projectId: Type.Optional(Id), environmentId: Type.Optional(Id), moduleInstanceId: Type.Optional(Id) }

const overrides = Type.Array(FreezeOverride, { description: 'Overrides in force of the freezes in `data`.' })

export const freezeRoutes = {
  createFreeze: {
    operationId: 'createFreeze',
    method: 'POST',
    path: '/freezes',
    tag: 'Freezes',
    summary: 'Create a freeze',
    needs: 'freezes:write',
    isUrgent: true,
    on: { body: { projectId: 'projects', environmentId: 'environments', moduleInstanceId: 'module-instances' } },
    body: dataOf(CreateFreeze),
    reply: [201, dataOf(Freeze)],
    refuses: ['referenceNotFound', 'tooManyFreezes'],
  },
  listFreezes: {
    operationId: 'listFreezes',
    method: 'GET',
    path: '/freezes',
    tag: 'Freezes',
    summary: 'List freezes',
    needs: 'freezes:read',
    query: Type.Object({ ...pageParams, ...filters }, closed),
    reply: [200, listOf(Freeze)],
    refuses: ['cursorInvalid'],
  },
  listActiveFreezes: {
    operationId: 'listActiveFreezes',
    method: 'GET',
    path: '/freezes/active',
    tag: 'Freezes',
    summary: 'List active and upcoming freezes in a scope',
    needs: 'freezes:read',
    query: Type.Object(
      {
        ...filters,
        withinHours: Type.Integer({
          minimum: 0,
          maximum: 744,
          default: 0,
          description: 'Also include freezes that start within this number of hours.',
        }),
        ...includeOf('overrides'),
      },
      closed,
    ),
    reply: [200, dataWith(Type.Array(Freeze), { overrides })],
    refuses: [],
  },
  getFreeze: {
    operationId: 'getFreeze',
    method: 'GET',
    path: '/freezes/{id}',
    tag: 'Freezes',
    summary: 'Get a freeze',
    needs: 'freezes:read',
    params: IdParams,
    reply: [200, dataOf(Freeze)],
    refuses: ['freezeNotFound'],
  },
  updateFreeze: {
    operationId: 'updateFreeze',
    method: 'PATCH',
    path: '/freezes/{id}',
    tag: 'Freezes',
    summary: 'Update a freeze',
    needs: 'freezes:write',
    on: { params: { id: 'freezes' } },
    params: IdParams,
    body: dataOf(UpdateFreeze),
    reply: [200, dataOf(Freeze)],
    refuses: ['freezeNotFound'],
  },
  deleteFreeze: {
    operationId: 'deleteFreeze',
    method: 'DELETE',
    path: '/freezes/{id}',
    tag: 'Freezes',
    summary: 'Delete a freeze',
    needs: 'freezes:write',
    on: { params: { id: 'freezes' } },
    params: IdParams,
    reply: noContent,
    refuses: ['freezeNotFound'],
  },
  createFreezeOverride: {
    operationId: 'createFreezeOverride',
    method: 'POST',
    path: '/freezes/{id}/overrides',
    tag: 'Freezes',
    summary: 'Override a freeze temporarily',
    needs: 'freezes:override',
    on: { params: { id: 'freezes' }, body: { moduleInstanceId: 'module-instances' } },
    params: IdParams,
    body: dataOf(CreateFreezeOverride),
    reply: [201, dataOf(FreezeOverride)],
    refuses: ['freezeNotFound', 'referenceNotFound'],
  },
  listFreezeOverrides: {
    operationId: 'listFreezeOverrides',
    method: 'GET',
    path: '/freezes/{id}/overrides',
    tag: 'Freezes',
    summary: 'List the overrides of a freeze',
    needs: 'freezes:read',
    params: IdParams,
    query: Type.Object(pageParams, closed),
    reply: [200, listOf(FreezeOverride)],
    refuses: ['freezeNotFound', 'cursorInvalid'],
  },
} as const satisfies RouteTable
