import { Type } from 'typebox'
import {
  AuditEvent,
  AuditHead,
  AuditRetention,
  actorTypes,
  channels,
  SetAuditRetention,
} from '../../identity/audit-event.ts'
import { dataOf } from '../../values/envelope.ts'
import { Id } from '../../values/ids.ts'
import { listOf, pageParams } from '../../values/list.ts'
import { UtcDateTime } from '../../values/time.ts'
import type { RouteTable } from '../route.ts'

const Word = Type.String({ minLength: 1, maxLength: 100 })

/** Which lines; those that every filter lets through. */
const filters = {
  resourceType: Type.Optional(Word),
  resourceId: Type.Optional(Id),
  projectId: Type.Optional({
    ...Id,
    description: 'Only changes of the configuration of a project, and of what is in it.',
  }),
  actorType: Type.Optional(Type.Enum(actorTypes, { description: 'Only what such an actor did.' })),
  actorId: Type.Optional(Id),
  actorName: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 200,
      description:
        'Only what an actor did whose name began so at that time: an email, or the name of a service account.',
      examples: ['ada@example.com'],
    }),
  ),
  action: Type.Optional(Word),
  channel: Type.Optional(Type.Enum(channels, { description: 'Only what came by this.' })),
  startTime: Type.Optional(Type.Unsafe<string>({ ...UtcDateTime, description: 'Lines from then on.' })),
  endTime: Type.Optional(Type.Unsafe<string>({ ...UtcDateTime, description: 'Lines before then.' })),
}

export const auditEventRoutes = {
  listAuditEvents: {
    operationId: 'listAuditEvents',
    method: 'GET',
    path: '/audit-events',
    tag: 'AuditEvents',
    summary: 'List who changed what',
    needs: 'audit-events:read',
    query: Type.Object({ ...pageParams, ...filters }, { additionalProperties: false }),
    reply: [200, listOf(AuditEvent)],
    refuses: ['cursorInvalid'],
  },
  exportAuditEvents: {
    operationId: 'exportAuditEvents',
    method: 'GET',
    path: '/audit-events/export',
    tag: 'AuditEvents',
    summary: 'Export who changed what',
    needs: 'audit-events:read',
    query: Type.Object(filters, { additionalProperties: false }),
    reply: [
      200,
      Type.String({
        description: 'Newline-delimited JSON: each line is an event as the list shows it, newest first, all of them.',
      }),
    ],
    replyType: 'application/x-ndjson',
    refuses: [],
  },
  getAuditHead: {
    operationId: 'getAuditHead',
    method: 'GET',
    path: '/audit-events/head',
    tag: 'AuditEvents',
    summary: 'Sign the end of the audit log as it is now',
    needs: 'audit-events:read',
    reply: [200, dataOf(AuditHead)],
    refuses: [],
  },
  getAuditRetention: {
    operationId: 'getAuditRetention',
    method: 'GET',
    path: '/audit-events/retention',
    tag: 'AuditEvents',
    summary: 'Tell how long the audit log is kept',
    needs: 'audit-events:read',
    reply: [200, dataOf(AuditRetention)],
    refuses: [],
  },
  setAuditRetention: {
    operationId: 'setAuditRetention',
    method: 'PATCH',
    path: '/audit-events/retention',
    tag: 'AuditEvents',
    summary: 'Have the audit log kept longer than the installation keeps it',
    needs: 'organizations:write',
    body: dataOf(SetAuditRetention),
    reply: [200, dataOf(AuditRetention)],
    refuses: [],
  },
} as const satisfies RouteTable
