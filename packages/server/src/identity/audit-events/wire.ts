import type { AuditEvent } from '@sluice/contract'
import type { AuditEventRow } from './tables.ts'

export const lineToWire = (row: AuditEventRow): AuditEvent => ({
  id: row.id,
  createdAt: row.createdAt.toISOString(),
  organizationId: row.organizationId,
  actorType: row.actorType,
  actorId: row.actorId,
  actorName: row.actorName,
  action: row.action,
  resourceType: row.resourceType,
  resourceId: row.resourceId,
  channel: row.channel,
  ...(row.projectId !== null && { projectId: row.projectId }),
  ...(row.environmentId !== null && { environmentId: row.environmentId }),
  ...(row.details !== null && { details: row.details }),
  ...(row.before !== null && { before: row.before }),
  ...(row.ipAddress !== null && { ipAddress: row.ipAddress }),
  ...(row.userAgent !== null && { userAgent: row.userAgent }),
  ...(row.requestId !== null && { requestId: row.requestId }),
})
