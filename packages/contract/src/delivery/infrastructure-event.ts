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
    externalEventId: Type.String({ description: "The cloud's own id of the event." }),
    source: Type.String({ description: 'Which part of the cloud tells it.' }),
    detailType: Type.String({ description: 'What kind of event it is.' }),
    resourceArn: Type.Optional(Type.String({ description: 'The resource it is about, where deployments know it.' })),
    occurredAt: UtcDateTime,
    event: Type.Unsafe<FreeFormObject>({ ...FreeFormObject, description: 'The event as it was delivered.' }),
  },
  { additionalProperties: false, description: 'What a cloud account told us.' },
)
export type InfrastructureEvent = Static<typeof InfrastructureEvent>

/** What an event came to. */
export const eventMatches = ['MATCHED', 'NONE_RAN', 'NEVER_RELEASED', 'UNKNOWN_RESOURCE', 'OTHER_KIND'] as const
export type EventMatch = (typeof eventMatches)[number]

export const InfrastructureEventMatch = Type.Object(
  {
    outcome: Type.Enum(eventMatches, {
      description:
        '`MATCHED`: deployments ran on the resource. `NONE_RAN`: it is released to, but nothing ran at that time. `NEVER_RELEASED`: an instance releases to it, and has not yet. `UNKNOWN_RESOURCE`: no instance does. `OTHER_KIND`: deployments learn nothing from such an event.',
    }),
    explanation: Type.String({ description: 'The same for people, with what to do.' }),
    resourceArn: Type.Optional(Type.String({ description: 'The resource that the event concerns.' })),
    resourceName: Type.Optional(Type.String({ description: 'Its name, where the event has no ARN of it.' })),
    moduleInstanceId: Type.Optional({ ...Id, description: 'The module instance that releases to it.' }),
    deploymentIds: Type.Array(Id, {
      description: 'The deployments that ran on it when the event happened, 20 at most.',
    }),
  },
  { additionalProperties: false, description: 'Which deployments an event concerned, or why none.' },
)
export type InfrastructureEventMatch = Static<typeof InfrastructureEventMatch>
