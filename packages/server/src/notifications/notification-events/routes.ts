import { auditType, type NotificationEvent, notificationTypes, routes } from '@sluice/contract'
import { mayDo } from '../../platform/auth/caller.ts'
import type { App } from '../../platform/http/app.ts'
import { handle } from '../../platform/http/handle.ts'
import { present } from '../../platform/present.ts'
import { enableEventProcessing, findPosition } from '../notification-channels/store.ts'
import { numberIn, positionOf, rejectForgotten } from './position.ts'
import { latestNumber, listEvents } from './store.ts'
import type { NotificationEventRow } from './tables.ts'

type Parts = {
  /** Records past events of the organization before its first reader gets a response. */
  addPastEvents: (organizationId: string) => Promise<void>
}

export function serveNotificationEvents(app: App, { addPastEvents }: Parts): void {
  handle(app, routes.listNotificationEvents, async ({ query, caller, db }) => {
    const { organizationId } = caller
    const { limit, projectId, environmentId, service, triggeredBy, types: asked = notificationTypes, order } = query
    const types = mayDo(caller, 'audit-events:read') ? asked : asked.filter((type) => type !== auditType)
    const standing = await findPosition(db, organizationId)
    if (!standing?.isAskedFor) {
      await enableEventProcessing(db, organizationId)
      await addPastEvents(organizationId)
    }
    const forgotten = standing?.forgottenNumber ?? 0
    const after = query.after === undefined ? forgotten : numberIn(query.after)
    rejectForgotten(after, forgotten)
    // Read before the rows, so that events added meanwhile come with the next request.
    const latest = await latestNumber(db, organizationId)
    const newestFirst = order === 'NEWEST_FIRST'
    const before = query.before === undefined ? undefined : numberIn(query.before)
    const filters = { projectId, environmentId, service, triggeredBy, types }
    const wanted = { after, before, ...filters, newestFirst, limit: limit + 1 }
    const rows = await listEvents(db, organizationId, wanted)
    const hasMore = rows.length > limit
    const shown = rows.slice(0, limit)
    const last = shown.at(-1)?.number ?? after
    // Events after the last returned one did not match, so the position moves past them.
    const isUpToIt = hasMore || newestFirst
    const end = isUpToIt ? last : Math.max(last, Math.min(latest, (before ?? Infinity) - 1))
    return { data: shown.map(toWire), meta: { position: positionOf(end), hasMore } }
  })
}

const toWire = (row: NotificationEventRow): NotificationEvent =>
  present({
    position: positionOf(row.number),
    createdAt: row.createdAt.toISOString(),
    organizationId: row.organizationId,
    eventId: row.eventId,
    recordId: row.recordId,
    projectId: row.projectId ?? undefined,
    environmentId: row.environmentId ?? undefined,
    payload: row.payload,
  })
