import { belongsToChannel, type NotificationType } from '@sluice/contract'
import { withLinks } from '../../identity/audit-events/store.ts'
import { auditEvents } from '../../identity/audit-events/tables.ts'
import type { ChainedRow } from '../../identity/audit-events/wire.ts'
import { and, asc, desc, eq, gt, inArray, lt, type SQL, sql } from '../../platform/db/drizzle.ts'
import { batchSize, daysBefore, inBatches } from '../../platform/db/forgetting.ts'
import type { Db } from '../../platform/db/open.ts'
import { firstIdAt, newId } from '../../platform/ids.ts'
import { notificationPositions } from '../notification-channels/tables.ts'
import type { Event } from '../notification-deliveries/machine.ts'
import { type NotificationEventRow, notifiableAuditEvents, notificationEvents } from './tables.ts'

/** Inserts events in order, skipping existing ones. Requires the position's lock. */
export async function insertEvents(tx: Db, organizationId: string, events: readonly Event[]): Promise<void> {
  if (events.length === 0) return
  const rows = events.flatMap(({ id: eventId, recordId, projectId, environmentId, payload }) => {
    const { type } = payload
    if (belongsToChannel(type)) return []
    return [{ id: newId('nev'), organizationId, eventId, recordId, projectId, environmentId, type, payload }]
  })
  await tx.insert(notificationEvents).values(rows).onConflictDoNothing()
}

/** Filters and order of events. */
export type EventFilter = {
  after: number
  before?: number | undefined
  projectId?: string | undefined
  environmentId?: string | undefined
  /** Part of the module instance's name. */
  service?: string | undefined
  /** Part of the actor's name. */
  triggeredBy?: string | undefined
  types: readonly NotificationType[]
  newestFirst?: boolean
  limit: number
}

export function listEvents(
  db: Db,
  organizationId: string,
  { after, before, projectId, environmentId, service, triggeredBy, types, newestFirst = false, limit }: EventFilter,
): Promise<NotificationEventRow[]> {
  const { number, type } = notificationEvents
  return db
    .select()
    .from(notificationEvents)
    .where(
      and(
        eq(notificationEvents.organizationId, organizationId),
        gt(number, after),
        before === undefined ? undefined : lt(number, before),
        projectId === undefined ? undefined : eq(notificationEvents.projectId, projectId),
        environmentId === undefined ? undefined : eq(notificationEvents.environmentId, environmentId),
        hasPart('moduleInstance,name', service),
        hasPart('triggeredBy', triggeredBy),
        inArray(type, [...types]),
      ),
    )
    .orderBy(newestFirst ? desc(number) : asc(number))
    .limit(limit)
}

/** Matches a part case-insensitively, like the filters of services. */
const hasPart = (path: string, part: string | undefined): SQL | undefined =>
  part === undefined
    ? undefined
    : sql`position(lower(${part}::text) in lower(${notificationEvents.payload} #>> ${sql.raw(`'{data,${path}}'`)})) > 0`

/** Returns the number of the latest visible event, or 0. */
export async function latestNumber(db: Db, organizationId: string): Promise<number> {
  const [latest] = await db
    .select({ number: notificationEvents.number })
    .from(notificationEvents)
    .where(eq(notificationEvents.organizationId, organizationId))
    .orderBy(desc(notificationEvents.number))
    .limit(1)
  return latest?.number ?? 0
}

/** Maximum number of audit events to process at a time. */
const linesAtOnce = 200

/** Removes and returns the oldest audit events that are to be sent. */
export async function consumeAuditLines(tx: Db, organizationId: string): Promise<ChainedRow[]> {
  const { id } = notifiableAuditEvents
  const isOf = eq(notifiableAuditEvents.organizationId, organizationId)
  const oldest = tx.select({ id }).from(notifiableAuditEvents).where(isOf).orderBy(asc(id)).limit(linesAtOnce)
  const taken = await tx
    .delete(notifiableAuditEvents)
    .where(and(isOf, inArray(id, oldest)))
    .returning({ id })
  const ids = taken.map((row) => row.id)
  const lines = await tx
    .select()
    .from(auditEvents)
    .where(and(eq(auditEvents.organizationId, organizationId), inArray(auditEvents.id, ids)))
    .orderBy(asc(auditEvents.id))
  return withLinks(tx, organizationId, lines)
}

/** Retention of events, in days, as for deliveries. */
const effectiveDays = 30

/** Deletes old events and records the last deleted number. */
export const deleteOldNotificationEvents = (db: Db, now: Date): Promise<void> =>
  inBatches(() =>
    db.transaction(async (tx) => {
      const { id, number, organizationId } = notificationEvents
      const old = tx
        .select({ id })
        .from(notificationEvents)
        .where(lt(id, firstIdAt('nev', daysBefore(now, effectiveDays))))
        .orderBy(asc(id))
        .limit(batchSize)
      const gone = await tx.delete(notificationEvents).where(inArray(id, old)).returning({ number, organizationId })
      for (const [whose, rows] of Map.groupBy(gone, (row) => row.organizationId)) {
        const last = Math.max(...rows.map((row) => row.number))
        await tx
          .update(notificationPositions)
          .set({ forgottenNumber: sql`greatest(${notificationPositions.forgottenNumber}, ${last})` })
          .where(eq(notificationPositions.organizationId, whose))
      }
      return gone.length
    }),
  )
