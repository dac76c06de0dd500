import { type Static, Type } from 'typebox'
import { Id } from '../values/ids.ts'
import { UtcDateTime } from '../values/time.ts'
import { NotificationPayload } from './notification.ts'

const closed = { additionalProperties: false } as const

export const deliveryStatuses = ['PENDING', 'DELIVERED', 'FAILED'] as const

export const DeliveryAttempt = Type.Object(
  {
    at: UtcDateTime,
    durationMs: Type.Integer({ description: 'Duration in milliseconds.' }),
    status: Type.Optional(Type.Integer({ description: 'HTTP status of the response. Absent if there was none.' })),
    answer: Type.Optional(Type.String({ description: 'First 500 characters of the response.' })),
    error: Type.Optional(Type.String({ description: 'Reason why there was no response.' })),
  },
  { ...closed, description: 'Delivery attempt and its result.' },
)
export type DeliveryAttempt = Static<typeof DeliveryAttempt>

export const NotificationDelivery = Type.Object(
  {
    id: Id,
    createdAt: UtcDateTime,
    updatedAt: UtcDateTime,
    organizationId: Id,
    channelId: Id,
    eventId: Type.String({
      description: 'ID of the event. It is the same for every channel and when the event is sent again.',
    }),
    recordId: Type.String({
      description: 'ID of the resource that the event concerns. Events of a resource are delivered in order.',
    }),
    payload: NotificationPayload,
    status: Type.Enum(deliveryStatuses, {
      description: 'Status of the delivery. FAILED: all attempts failed, or the channel was disabled.',
    }),
    attempts: Type.Array(DeliveryAttempt, { description: 'Delivery attempts, oldest first.' }),
    nextAttemptAt: Type.Optional(UtcDateTime),
    isHeldBack: Type.Optional(
      Type.Boolean({ description: 'Whether the delivery is or was held back by quiet hours or a digest.' }),
    ),
    digestId: Type.Optional({
      ...Id,
      description: 'ID shared by all deliveries combined in one message: the ID of one of them.',
    }),
    resendOf: Type.Optional(Id),
  },
  {
    ...closed,
    description: 'Delivery of an event to a channel. For a WEBHOOK, its ID is the `webhook-id` of every attempt.',
  },
)
export type NotificationDelivery = Static<typeof NotificationDelivery>
