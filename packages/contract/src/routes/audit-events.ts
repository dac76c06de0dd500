import { Type } from 'typebox'
import { AuditEvent } from '../audit-event.ts'
import { Id } from '../ids.ts'
import { listOf, pageParams } from '../list.ts'
import type { RouteTable } from './route.ts'

const Word = Type.String({ minLength: 1, maxLength: 100 })

export const auditEventRoutes = {
  listAuditEvents: {
    operationId: 'listAuditEvents',
    method: 'GET',
    path: '/audit-events',
    tag: 'Reports',
    summary: 'List who changed what',
    needs: 'audit-events:read',
    query: Type.Object(
      {
        ...pageParams,
        resourceType: Type.Optional(Word),
        resourceId: Type.Optional(Id),
        actorId: Type.Optional(Id),
        action: Type.Optional(Word),
      },
      { additionalProperties: false },
    ),
    reply: [200, listOf(AuditEvent)],
    refuses: ['cursorInvalid'],
  },
} as const satisfies RouteTable
