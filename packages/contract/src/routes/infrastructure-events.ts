import { Type } from 'typebox'
import { CloudEvent, CloudEventReceipt } from '../cloud-event.ts'
import { dataOf } from '../envelope.ts'
import { Id, IdParams } from '../ids.ts'
import { InfrastructureEvent } from '../infrastructure-event.ts'
import { listOf, pageParams } from '../list.ts'
import type { RouteTable } from './route.ts'

const only = (description: string, maxLength: number) =>
  Type.Optional(Type.String({ minLength: 1, maxLength, description }))

export const infrastructureEventRoutes = {
  listInfrastructureEvents: {
    operationId: 'listInfrastructureEvents',
    method: 'GET',
    path: '/infrastructure-events',
    tag: 'InfrastructureEvents',
    summary: 'List what the cloud accounts told us',
    needs: 'infrastructure-events:read',
    query: Type.Object(
      {
        ...pageParams,
        cloudAccountId: Type.Optional(Id),
        source: only('Only those from this part of the cloud.', 256),
        detailType: only('Only those of this kind.', 256),
        resourceArn: only('Only those about this resource.', 2_000),
      },
      { additionalProperties: false },
    ),
    reply: [200, listOf(InfrastructureEvent)],
    refuses: ['cursorInvalid'],
  },
  /** Called by the account's event bus with its event secret in `eventSecretHeader` instead of a bearer token. */
  receiveCloudEvent: {
    operationId: 'receiveCloudEvent',
    method: 'POST',
    path: '/cloud-accounts/{id}/events',
    tag: 'InfrastructureEvents',
    summary: "Take an event from the account's event bus",
    needs: 'anyone',
    params: IdParams,
    body: CloudEvent,
    reply: [202, dataOf(CloudEventReceipt)],
    refuses: ['eventSecretWrong', 'eventAccountWrong'],
  },
} as const satisfies RouteTable
