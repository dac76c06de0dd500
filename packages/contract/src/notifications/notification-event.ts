import { type Static, Type } from 'typebox'
import { Id } from '../values/ids.ts'
import { UtcDateTime } from '../values/time.ts'
import { NotificationPayload } from './notification.ts'

const closed = { additionalProperties: false } as const

/** Position of a reader in the event stream of an organization. */
export const EventPosition = Type.String({
  pattern: '^[0-9]{1,15}$',
  description: 'Position in the event stream, from an event or a page. `0` is the start.',
  examples: ['4711'],
})

/** Orders in which events can be listed. */
export const eventOrders = ['OLDEST_FIRST', 'NEWEST_FIRST'] as const

export const NotificationEvent = Type.Object(
  {
    position: EventPosition,
    createdAt: {
      ...UtcDateTime,
      description: 'Time when the event was detected. `payload.timestamp` is the time when it occurred.',
    },
    organizationId: Id,
    eventId: Type.String({ description: 'ID of the event, as in the deliveries of channels.' }),
    recordId: Type.String({ description: 'ID of the resource that the event concerns.' }),
    projectId: Type.Optional(Id),
    environmentId: Type.Optional(Id),
    payload: NotificationPayload,
  },
  { ...closed, description: 'Event at its position in the event stream.' },
)
export type NotificationEvent = Static<typeof NotificationEvent>

export const NotificationEventPage = Type.Object(
  {
    data: Type.Array(NotificationEvent),
    meta: Type.Object(
      {
        position: {
          ...EventPosition,
          description:
            'Position up to which events were read. Use it as `after` for later events and as `before` for earlier ones.',
        },
        hasMore: Type.Boolean({ description: 'Whether more events are available now.' }),
      },
      { ...closed, description: 'Pagination metadata.' },
    ),
  },
  { ...closed, description: 'Page of events in the requested order.' },
)
export type NotificationEventPage = Static<typeof NotificationEventPage>
