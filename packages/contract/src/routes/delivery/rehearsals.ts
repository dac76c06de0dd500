import { Type } from 'typebox'
import { CreateRehearsal, Rehearsal, RehearsalSummary } from '../../delivery/rehearsal.ts'
import { dataOf } from '../../values/envelope.ts'
import { Id, IdParams } from '../../values/ids.ts'
import { listOf, pageParams } from '../../values/list.ts'
import type { RouteTable } from '../route.ts'

export const rehearsalRoutes = {
  createRehearsal: {
    operationId: 'createRehearsal',
    method: 'POST',
    path: '/rehearsals',
    tag: 'Rehearsals',
    summary: 'Rehearse a release in a simulated copy of its service',
    permission: 'deployments:write',
    on: { body: { moduleInstanceId: 'module-instances' } },
    body: dataOf(CreateRehearsal),
    response: [201, dataOf(Rehearsal)],
    errors: [
      'previewInProduction',
      'moduleInstanceNotFound',
      'moduleInstanceDestroyed',
      'inputInvalid',
      'moduleHasNoDeploy',
      'releaseInvalid',
      'cloudAccountNotConnected',
      'rollbackTargetInvalid',
      'rollbackTargetNewer',
      'rehearsalNotSupported',
    ],
  },
  listRehearsals: {
    operationId: 'listRehearsals',
    method: 'GET',
    path: '/rehearsals',
    tag: 'Rehearsals',
    summary: 'List rehearsals',
    permission: 'deployments:read',
    query: Type.Object({ ...pageParams, moduleInstanceId: Type.Optional(Id) }, { additionalProperties: false }),
    response: [200, listOf(RehearsalSummary)],
    errors: ['cursorInvalid'],
  },
  getRehearsal: {
    operationId: 'getRehearsal',
    method: 'GET',
    path: '/rehearsals/{id}',
    tag: 'Rehearsals',
    summary: 'Get a rehearsal',
    permission: 'deployments:read',
    params: IdParams,
    response: [200, dataOf(Rehearsal)],
    errors: ['rehearsalNotFound'],
  },
} as const satisfies RouteTable
