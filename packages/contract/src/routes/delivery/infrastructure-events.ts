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
    summary: 'List events received from cloud accounts',
    permission: 'infrastructure-events:read',
    query: Type.Object(
      {
        ...pageParams,
        cloudAccountId: Type.Optional(Id),
        source: only('Filters by the cloud service that emitted the event.', 256),
        detailType: only('Filters by type of event.', 256),
        resourceArn: only('Filters by resource.', 2_000),
        moduleInstanceId: Type.Optional({
          ...Id,
          description: 'Filters by the resources to which this module instance releases.',
        }),
        deploymentId: Type.Optional({
          ...Id,
          description:
            'Filters by the resources to which this deployment releases, from its start until one minute after its end.',
        }),
        startTime: Type.Optional(
          Type.Unsafe<string>({ ...UtcDateTime, description: 'Earliest time of the event, inclusive.' }),
        ),
        endTime: Type.Optional(
          Type.Unsafe<string>({ ...UtcDateTime, description: 'Latest time of the event, exclusive.' }),
        ),
      },
      { additionalProperties: false },
    ),
    response: [200, listOf(InfrastructureEvent)],
    errors: ['cursorInvalid'],
  },
  getInfrastructureEvent: {
    operationId: 'getInfrastructureEvent',
    method: 'GET',
    path: '/infrastructure-events/{id}',
    tag: 'InfrastructureEvents',
    summary: 'Get an event received from a cloud account',
    permission: 'infrastructure-events:read',
    params: IdParams,
    response: [200, dataOf(InfrastructureEvent)],
    errors: ['infrastructureEventNotFound'],
  },
  getInfrastructureEventMatch: {
    operationId: 'getInfrastructureEventMatch',
    method: 'GET',
    path: '/infrastructure-events/{id}/match',
    tag: 'InfrastructureEvents',
    summary: 'Get the deployments that an event concerned',
    permission: 'infrastructure-events:read',
    params: IdParams,
    response: [200, dataOf(InfrastructureEventMatch)],
    errors: ['infrastructureEventNotFound'],
  },
  /**
   * The account's event bus calls this operation with its event secret in `eventSecretHeader` instead of a bearer
   * token.
   */
  receiveCloudEvent: {
    operationId: 'receiveCloudEvent',
    method: 'POST',
    path: '/cloud-accounts/{id}/events',
    tag: 'InfrastructureEvents',
    summary: 'Receive an event from the event bus of a cloud account',
    permission: 'anyone',
    params: IdParams,
    body: CloudEvent,
    response: [202, dataOf(CloudEventReceipt)],
    errors: ['eventSecretWrong', 'eventAccountWrong'],
  },
} as const satisfies RouteTable
