import { routes, type Session } from '@sluice/contract'
import { credentialIn } from '../../platform/auth/credential.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import type { App } from '../../platform/http/app.ts'
import { handle } from '../../platform/http/handle.ts'
import { recordChange } from '../audit-events/record.ts'
import { listSessions, removeSession, type SessionRow } from './store.ts'

export function serveSessions(app: App): void {
  handle(app, routes.listSessions, async ({ query, caller, db, request }) => {
    const page = app.openPage(routes.listSessions, caller, query)
    const currentHash = credentialIn(request.headers)?.tokenHash
    const found = await listSessions(db, caller, app.sessionLife, page)
    return page.reply(found, (row) => toWire(row, row.tokenHash === currentHash))
  })

  handle(app, routes.deleteSession, async ({ params: { id }, caller, db, request }) => {
    await db.transaction(async (tx) => {
      if ((await removeSession(tx, caller, { id })) === undefined) throw notFound(id)
      await recordChange(
        tx,
        { caller, request },
        { action: 'sessions.delete', resourceType: 'session', resourceId: id },
      )
    })
    app.callers.forget()
  })
}

const notFound = (id: string) => new ApiError('sessionNotFound', `You have no session ${id}: see GET /sessions.`)

const toWire = (row: SessionRow, isCurrent: boolean): Session => ({
  id: row.id,
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
  organizationId: row.organizationId,
  membershipId: row.membershipId,
  isCurrent,
  lastUsedAt: (row.lastUsedAt ?? row.createdAt).toISOString(),
  expiresAt: row.expiresAt.toISOString(),
  ...(row.userAgent !== null && { userAgent: row.userAgent }),
  ...(row.ipAddress !== null && { ipAddress: row.ipAddress }),
})
