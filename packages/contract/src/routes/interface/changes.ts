import { Type } from 'typebox'
import type { RouteTable } from '../route.ts'

export const changeRoutes = {
  streamChanges: {
    operationId: 'streamChanges',
    method: 'GET',
    path: '/changes',
    tag: 'WebSocket',
    summary: 'Follow which records of the organization change',
    needs: 'caller',
    query: Type.Object(
      {
        lastEventId: Type.Optional(
          Type.String({
            maxLength: 100,
            description:
              'The event to go on after, for who cannot send Last-Event-ID, which counts where both are sent.',
          }),
        ),
      },
      { additionalProperties: false },
    ),
    reply: [
      200,
      Type.String({
        description:
          'Server-sent events: each has a list of `Change` as its data. A client that lost the connection goes on with Last-Event-ID, or `lastEventId` in the query. The event `reset` says that what was missed is not known: read everything anew. It comes first where a client begins without either. Asked for with `Upgrade: websocket`, it is a WebSocket with the same changes.',
      }),
    ],
    replyType: 'text/event-stream',
    refuses: [],
  },
} as const satisfies RouteTable
