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

/** Filters of audit events. All filters must match. */
const filters = {
  resourceType: Type.Optional(Word),
  resourceId: Type.Optional(Id),
  projectId: Type.Optional({
    ...Id,
    description: 'Filters by project: changes of its configuration and of its resources.',
  }),
  actorType: Type.Optional(Type.Enum(actorTypes, { description: 'Filters by type of the actor.' })),
  actorId: Type.Optional(Id),
  actorName: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 200,
      description:
        "Filters by the start of the actor's name at the time: an email address or the name of a service account.",
      examples: ['ada@example.com'],
    }),
  ),
  action: Type.Optional(Word),
  channel: Type.Optional(Type.Enum(channels, { description: 'Filters by channel.' })),
  startTime: Type.Optional(Type.Unsafe<string>({ ...UtcDateTime, description: 'Earliest time, inclusive.' })),
  endTime: Type.Optional(Type.Unsafe<string>({ ...UtcDateTime, description: 'Latest time, exclusive.' })),
}

export const auditEventRoutes = {
  listAuditEvents: {
    operationId: 'listAuditEvents',
    method: 'GET',
    path: '/audit-events',
    tag: 'AuditEvents',
    summary: 'List audit events',
    permission: 'audit-events:read',
    query: Type.Object({ ...pageParams, ...filters }, { additionalProperties: false }),
    response: [200, listOf(AuditEvent)],
    errors: ['cursorInvalid'],
  },
  exportAuditEvents: {
    operationId: 'exportAuditEvents',
    method: 'GET',
    path: '/audit-events/export',
    tag: 'AuditEvents',
    summary: 'Export audit events',
    permission: 'audit-events:read',
    query: Type.Object(filters, { additionalProperties: false }),
    response: [
      200,
      Type.String({
        description: 'Newline-delimited JSON with all matching audit events, one per line, newest first.',
      }),
    ],
    responseType: 'application/x-ndjson',
    errors: [],
  },
  getAuditHead: {
    operationId: 'getAuditHead',
    method: 'GET',
    path: '/audit-events/head',
    tag: 'AuditEvents',
    summary: 'Get the signed head of the audit log',
    permission: 'audit-events:read',
    response: [200, dataOf(AuditHead)],
    errors: [],
  },
  getAuditRetention: {
    operationId: 'getAuditRetention',
    method: 'GET',
    path: '/audit-events/retention',
    tag: 'AuditEvents',
    summary: 'Get the retention period of the audit log',
    permission: 'audit-events:read',
    response: [200, dataOf(AuditRetention)],
    errors: [],
  },
  setAuditRetention: {
    operationId: 'setAuditRetention',
    method: 'PATCH',
    path: '/audit-events/retention',
    tag: 'AuditEvents',
    summary: "Update the retention period of the audit log; it cannot be shorter than the installation's",
    permission: 'organizations:write',
    body: dataOf(SetAuditRetention),
    response: [200, dataOf(AuditRetention)],
    errors: [],
  },
} as const satisfies RouteTable
