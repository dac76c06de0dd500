import { type Static, Type } from 'typebox'
import { Id } from '../values/ids.ts'
import { UtcDateTime } from '../values/time.ts'
import { NotificationPayload } from './notification.ts'

const closed = { additionalProperties: false } as const

export const deliveryStatuses = ['PENDING', 'DELIVERED', 'FAILED'] as const

export const DeliveryAttempt = Type.Object(
  {
    at: UtcDateTime,
    durationMs: Type.Integer({ description: 'How long it took. Milliseconds.' }),
    status: Type.Optional(Type.Integer({ description: 'The status of the answer; absent where there was none.' })),
    answer: Type.Optional(Type.String({ description: 'The first 500 characters of the answer.' })),
    error: Type.Optional(Type.String({ description: 'Why there was no answer.' })),
  },
  { ...closed, description: 'One request to the channel, and what came of it.' },
)
export type DeliveryAttempt = Static<typeof DeliveryAttempt>

export const NotificationDelivery = Type.Object(
  {
    id: Id,
    createdAt: UtcDateTime,
    updatedAt: UtcDateTime,
    organizationId: Id,
    channelId: Id,
    eventId: Type.String({ description: 'What it tells of. The same for every channel, and when it is sent again.' }),
    recordId: Type.String({ description: 'The record that it is about: what is told of it comes in order.' }),
    payload: NotificationPayload,
    status: Type.Enum(deliveryStatuses, { description: 'FAILED: it was given up, or the channel was disabled.' }),
    attempts: Type.Array(DeliveryAttempt, { description: 'Oldest first.' }),
    nextAttemptAt: Type.Optional(UtcDateTime),
    isHeldBack: Type.Optional(
      Type.Boolean({ description: 'Whether it waits, or waited, for the end of quiet hours or for a digest.' }),
    ),
    digestId: Type.Optional({
      ...Id,
      description: 'The same for all that were told in one message: the id of one of them.',
    }),
    resendOf: Type.Optional(Id),
  },
  {
    ...closed,
    description: 'Something that a channel is told. To a WEBHOOK its id is the `webhook-id` of every attempt.',
  },
)
export type NotificationDelivery = Static<typeof NotificationDelivery>
