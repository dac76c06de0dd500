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
    needs: 'deployments:write',
    on: { body: { moduleInstanceId: 'module-instances' } },
    body: dataOf(CreateRehearsal),
    reply: [201, dataOf(Rehearsal)],
    refuses: [
      'previewInProduction',
      'moduleInstanceNotFound',
      'moduleInstanceDestroyed',
      'inputInvalid',
      'moduleHasNoDeploy',
      'releaseInvalid',
      'cloudAccountNotConnected',
      'rehearsalNotSupported',
    ],
  },
  listRehearsals: {
    operationId: 'listRehearsals',
    method: 'GET',
    path: '/rehearsals',
    tag: 'Rehearsals',
    summary: 'List rehearsals',
    needs: 'deployments:read',
    query: Type.Object({ ...pageParams, moduleInstanceId: Type.Optional(Id) }, { additionalProperties: false }),
    reply: [200, listOf(RehearsalSummary)],
    refuses: ['cursorInvalid'],
  },
  getRehearsal: {
    operationId: 'getRehearsal',
    method: 'GET',
    path: '/rehearsals/{id}',
    tag: 'Rehearsals',
    summary: 'Get a rehearsal',
    needs: 'deployments:read',
    params: IdParams,
    reply: [200, dataOf(Rehearsal)],
    refuses: ['rehearsalNotFound'],
  },
} as const satisfies RouteTable
