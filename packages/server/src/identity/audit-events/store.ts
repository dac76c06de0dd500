import { and, eq } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { type PageBounds, type PageRows, selectCountedPage } from '../../platform/db/page.ts'
import { type AuditEventRow, auditEvents } from './tables.ts'

export interface AuditEventFilters {
  resourceType?: string
  resourceId?: string
  actorId?: string
  action?: string
}

export function listAuditEvents(
  db: Db,
  organizationId: string,
  { resourceType, resourceId, actorId, action }: AuditEventFilters,
  page: PageBounds,
): Promise<PageRows<AuditEventRow>> {
  const filter = and(
    resourceType === undefined ? undefined : eq(auditEvents.resourceType, resourceType),
    resourceId === undefined ? undefined : eq(auditEvents.resourceId, resourceId),
    actorId === undefined ? undefined : eq(auditEvents.actorId, actorId),
    action === undefined ? undefined : eq(auditEvents.action, action),
  )
  return selectCountedPage(db, auditEvents, organizationId, filter, page)
}
