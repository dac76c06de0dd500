import { type Static, Type } from 'typebox'
import { Id } from '../values/ids.ts'
import { UtcDateTime } from '../values/time.ts'
import { NotificationPayload } from './notification.ts'

const closed = { additionalProperties: false } as const

/** How far somebody has read the events of an organization. */
export const EventPosition = Type.String({
  pattern: '^[0-9]{1,15}$',
  description: 'A place in the stream of events: the `position` of an event, or that of a page. `0` is its begin.',
  examples: ['4711'],
})

/** In which order events are read. */
export const eventOrders = ['OLDEST_FIRST', 'NEWEST_FIRST'] as const

export const NotificationEvent = Type.Object(
  {
    position: EventPosition,
    createdAt: { ...UtcDateTime, description: 'When it was found; `payload.timestamp` is when it happened.' },
    organizationId: Id,
    eventId: Type.String({ description: 'What it tells of: the same as in the deliveries of channels.' }),
    recordId: Type.String({ description: 'The record that it is about.' }),
    projectId: Type.Optional(Id),
    environmentId: Type.Optional(Id),
    payload: NotificationPayload,
  },
  { ...closed, description: 'Something that happened, at its place in the stream of events.' },
)
export type NotificationEvent = Static<typeof NotificationEvent>

export const NotificationEventPage = Type.Object(
  {
    data: Type.Array(NotificationEvent),
    meta: Type.Object(
      {
        position: {
          ...EventPosition,
          description: 'Up to here all was read: what comes later is `after` this; what was earlier, `before` it.',
        },
        hasMore: Type.Boolean({ description: 'Whether there is more to be read now.' }),
      },
      { ...closed, description: 'How far this page leads.' },
    ),
  },
  { ...closed, description: 'Some events, in the order that was asked for.' },
)
export type NotificationEventPage = Static<typeof NotificationEventPage>
