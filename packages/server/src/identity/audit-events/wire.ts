import type { AuditEvent } from '@sluice/contract'
import type { AuditEventRow } from './tables.ts'

/** Stored event with its link, which is null for events of earlier versions. */
export type ChainedRow = AuditEventRow & { link: AuditLinkRow | null }
export type AuditLinkRow = { sequence: number; previousHash: string; hash: string }

export const lineToWire = ({ createdAt, contentHash, link, ...row }: ChainedRow): AuditEvent => ({
  ...contentToWire(row),
  createdAt: createdAt.toISOString(),
  ...(link && { chain: { ...link, contentHash: contentHash ?? '' } }),
})

/** Serializes the fields that the content hash covers. */
export const contentToWire = (
  row: Omit<AuditEventRow, 'createdAt' | 'updatedAt' | 'contentHash'>,
): Omit<AuditEvent, 'createdAt' | 'chain'> => ({
  id: row.id,
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
