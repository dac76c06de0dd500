import { type AuditEvent, routes } from '@sluice/contract'
import type { App } from '../../platform/http/app.ts'
import { handle } from '../../platform/http/handle.ts'
import type { OpenPage } from '../../platform/http/pagination.ts'
import { listAuditEvents } from './store.ts'
import type { AuditEventRow } from './tables.ts'

export function serveAuditEvents(app: App, { openPage }: { openPage: OpenPage }): void {
  handle(app, routes.listAuditEvents, async ({ query, caller, db }) => {
    const page = openPage(routes.listAuditEvents, caller, query)
    return page.reply(await listAuditEvents(db, caller.organizationId, query, page), toWire)
  })
}

const toWire = (row: AuditEventRow): AuditEvent => ({
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
  ...(row.details !== null && { details: row.details }),
  ...(row.before !== null && { before: row.before }),
  ...(row.ipAddress !== null && { ipAddress: row.ipAddress }),
  ...(row.userAgent !== null && { userAgent: row.userAgent }),
  ...(row.requestId !== null && { requestId: row.requestId }),
})
