import { type Static, Type } from 'typebox'
import { FreeFormObject } from './free-form.ts'
import { Id } from './ids.ts'
import { UtcDateTime } from './time.ts'

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
