import { type Static, Type } from 'typebox'
import { FreeFormObject } from '../values/free-form.ts'
import { Id } from '../values/ids.ts'
import { UtcDateTime } from '../values/time.ts'

export const InfrastructureEvent = Type.Object(
  {
    id: Id,
    createdAt: UtcDateTime,
    updatedAt: UtcDateTime,
    organizationId: Id,
    cloudAccountId: Id,
    externalEventId: Type.String({ description: 'Event ID assigned by the cloud.' }),
    source: Type.String({ description: 'Cloud service that emitted the event.' }),
    detailType: Type.String({ description: 'Type of the event.' }),
    resourceArn: Type.Optional(
      Type.String({ description: 'ARN of the resource that the event concerns, if deployments know the resource.' }),
    ),
    occurredAt: UtcDateTime,
    event: Type.Unsafe<FreeFormObject>({ ...FreeFormObject, description: 'Event as delivered.' }),
  },
  { additionalProperties: false, description: 'Event received from a cloud account.' },
)
export type InfrastructureEvent = Static<typeof InfrastructureEvent>

/** Outcomes of matching an event to deployments. */
export const eventMatches = [
  'MATCHED',
  'NO_ACTIVE_DEPLOYMENT',
  'NEVER_RELEASED',
  'UNKNOWN_RESOURCE',
  'UNSUPPORTED_TYPE',
] as const
export type EventMatch = (typeof eventMatches)[number]

export const InfrastructureEventMatch = Type.Object(
  {
    outcome: Type.Enum(eventMatches, {
      description:
        '`MATCHED`: deployments were running on the resource. `NO_ACTIVE_DEPLOYMENT`: no deployment was running on the resource at that time. `NEVER_RELEASED`: a module instance targets the resource, but was never deployed. `UNKNOWN_RESOURCE`: no module instance targets the resource. `UNSUPPORTED_TYPE`: deployments do not use events of this type.',
    }),
    explanation: Type.String({ description: 'Human-readable explanation, with what to do.' }),
    resourceArn: Type.Optional(Type.String({ description: 'ARN of the resource that the event concerns.' })),
    resourceName: Type.Optional(
      Type.String({ description: 'Name of the resource, if the event contains no ARN of it.' }),
    ),
    moduleInstanceId: Type.Optional({ ...Id, description: 'ID of the module instance that releases to the resource.' }),
    deploymentIds: Type.Array(Id, {
      description: 'IDs of the deployments that were running on the resource at the time of the event, up to 20.',
    }),
  },
  {
    additionalProperties: false,
    description: 'Deployments that an event concerned, or the reason why there are none.',
  },
)
export type InfrastructureEventMatch = Static<typeof InfrastructureEventMatch>
