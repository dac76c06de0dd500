import { Type } from 'typebox'
import { CloudEvent, CloudEventReceipt } from '../../delivery/cloud-event.ts'
import { InfrastructureEvent, InfrastructureEventMatch } from '../../delivery/infrastructure-event.ts'
import { dataOf } from '../../values/envelope.ts'
import { Id, IdParams } from '../../values/ids.ts'
import { listOf, pageParams } from '../../values/list.ts'
import { UtcDateTime } from '../../values/time.ts'
import type { RouteTable } from '../route.ts'

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
        moduleInstanceId: Type.Optional({ ...Id, description: 'Only those about what this instance releases to.' }),
        deploymentId: Type.Optional({
          ...Id,
          description: 'Only those about what this deployment releases to, from its start to a minute after its end.',
        }),
        startTime: Type.Optional(Type.Unsafe<string>({ ...UtcDateTime, description: 'What happened from then on.' })),
        endTime: Type.Optional(Type.Unsafe<string>({ ...UtcDateTime, description: 'What happened before then.' })),
      },
      { additionalProperties: false },
    ),
    reply: [200, listOf(InfrastructureEvent)],
    refuses: ['cursorInvalid'],
  },
  getInfrastructureEvent: {
    operationId: 'getInfrastructureEvent',
    method: 'GET',
    path: '/infrastructure-events/{id}',
    tag: 'InfrastructureEvents',
    summary: 'Get an event that a cloud account told us',
    needs: 'infrastructure-events:read',
    params: IdParams,
    reply: [200, dataOf(InfrastructureEvent)],
    refuses: ['infrastructureEventNotFound'],
  },
  getInfrastructureEventMatch: {
    operationId: 'getInfrastructureEventMatch',
    method: 'GET',
    path: '/infrastructure-events/{id}/match',
    tag: 'InfrastructureEvents',
    summary: 'Which deployments an event concerned, or why none',
    needs: 'infrastructure-events:read',
    params: IdParams,
    reply: [200, dataOf(InfrastructureEventMatch)],
    refuses: ['infrastructureEventNotFound'],
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
