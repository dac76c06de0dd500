import { Type } from 'typebox'
import type { RouteTable } from '../route.ts'

export const changeRoutes = {
  streamChanges: {
    operationId: 'streamChanges',
    method: 'GET',
    path: '/changes',
    tag: 'WebSocket',
    summary: 'Stream changes of resources in the organization',
    permission: 'caller',
    query: Type.Object(
      {
        lastEventId: Type.Optional(
          Type.String({
            maxLength: 100,
            description:
              'ID of the event to resume after, for clients that cannot send Last-Event-ID. The header takes precedence.',
          }),
        ),
      },
      { additionalProperties: false },
    ),
    response: [
      200,
      Type.String({
        description:
          'Server-sent events. Each event has a list of `Change` as its data. Clients resume with Last-Event-ID or the query parameter `lastEventId`. The event `reset` means that changes may have been missed: read everything again. It is the first event for clients that do not resume. With `Upgrade: websocket`, the same changes are sent over a WebSocket.',
      }),
    ],
    responseType: 'text/event-stream',
    errors: [],
  },
} as const satisfies RouteTable
