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
    permission: 'freezes:write',
    isUrgent: true,
    on: { body: { projectId: 'projects', environmentId: 'environments', moduleInstanceId: 'module-instances' } },
    body: dataOf(CreateFreeze),
    response: [201, dataOf(Freeze)],
    errors: ['referenceNotFound', 'tooManyFreezes'],
  },
  listFreezes: {
    operationId: 'listFreezes',
    method: 'GET',
    path: '/freezes',
    tag: 'Freezes',
    summary: 'List freezes',
    permission: 'freezes:read',
    query: Type.Object({ ...pageParams, ...filters }, closed),
    response: [200, listOf(Freeze)],
    errors: ['cursorInvalid'],
  },
  listActiveFreezes: {
    operationId: 'listActiveFreezes',
    method: 'GET',
    path: '/freezes/active',
    tag: 'Freezes',
    summary: 'List active and upcoming freezes in a scope',
    permission: 'freezes:read',
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
    response: [200, dataWith(Type.Array(Freeze), { overrides })],
    errors: [],
  },
  getFreeze: {
    operationId: 'getFreeze',
    method: 'GET',
    path: '/freezes/{id}',
    tag: 'Freezes',
    summary: 'Get a freeze',
    permission: 'freezes:read',
    params: IdParams,
    response: [200, dataOf(Freeze)],
    errors: ['freezeNotFound'],
  },
  updateFreeze: {
    operationId: 'updateFreeze',
    method: 'PATCH',
    path: '/freezes/{id}',
    tag: 'Freezes',
    summary: 'Update a freeze',
    permission: 'freezes:write',
    on: { params: { id: 'freezes' } },
    params: IdParams,
    body: dataOf(UpdateFreeze),
    response: [200, dataOf(Freeze)],
    errors: ['freezeNotFound'],
  },
  deleteFreeze: {
    operationId: 'deleteFreeze',
    method: 'DELETE',
    path: '/freezes/{id}',
    tag: 'Freezes',
    summary: 'Delete a freeze',
    permission: 'freezes:write',
    on: { params: { id: 'freezes' } },
    params: IdParams,
    response: noContent,
    errors: ['freezeNotFound'],
  },
  createFreezeOverride: {
    operationId: 'createFreezeOverride',
    method: 'POST',
    path: '/freezes/{id}/overrides',
    tag: 'Freezes',
    summary: 'Override a freeze temporarily',
    permission: 'freezes:override',
    on: { params: { id: 'freezes' }, body: { moduleInstanceId: 'module-instances' } },
    params: IdParams,
    body: dataOf(CreateFreezeOverride),
    response: [201, dataOf(FreezeOverride)],
    errors: ['freezeNotFound', 'referenceNotFound'],
  },
  listFreezeOverrides: {
    operationId: 'listFreezeOverrides',
    method: 'GET',
    path: '/freezes/{id}/overrides',
    tag: 'Freezes',
    summary: 'List the overrides of a freeze',
    permission: 'freezes:read',
    params: IdParams,
    query: Type.Object(pageParams, closed),
    response: [200, listOf(FreezeOverride)],
    errors: ['freezeNotFound', 'cursorInvalid'],
  },
} as const satisfies RouteTable
