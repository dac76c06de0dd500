import { eq, inArray, sql } from '../../platform/db/drizzle.ts'
import type { DeleteExpiredRecords } from '../../platform/db/forgetting.ts'
import type { Db } from '../../platform/db/open.ts'
import { organizations } from '../organizations/tables.ts'
import { type Author, serviceAuthor } from './author.ts'
import { recordChange } from './record.ts'
import { auditChain, auditEvents } from './tables.ts'

/**
 * Returns the retention period in days: the longer of both, so that a malicious owner cannot shorten it to hide traces.
 */
export const effectiveDays = (installationDays: number, organizationDays: number | null): number =>
  Math.max(installationDays, organizationDays ?? 0)

/** Returns the organization's own retention period, or null. */
export async function findOwnRetention(db: Db, organizationId: string): Promise<number | null> {
  const [row] = await db
    .select({ days: organizations.auditRetentionDays })
    .from(organizations)
    .where(eq(organizations.id, organizationId))
  return row?.days ?? null
}

export async function setOwnRetention(tx: Db, organizationId: string, days: number | null): Promise<void> {
  await tx.update(organizations).set({ auditRetentionDays: days }).where(eq(organizations.id, organizationId))
}

const dayMs = 86_400_000

/**
 * Removes expired audit events of all organizations, including deleted ones. Rounds to whole days, so that an
 * organization's events expire once a day.
 */
export const deleteExpiredAuditEvents =
  (installationDays: number): DeleteExpiredRecords =>
  async (db, now) => {
    const today = Math.floor(now.getTime() / dayMs) * dayMs
    for (const organizationId of await organizationsWithLines(db)) {
      const days = effectiveDays(installationDays, await findOwnRetention(db, organizationId))
      const before = new Date(today - days * dayMs)
      await removeAuditEvents(db, { before, author: serviceAuthor(organizationId), details: { effectiveDays: days } })
    }
  }

/** Removal of events: which ones, until when, and by whom. */
export type Removal = { author: Author; before: Date; details?: Record<string, unknown> }

/** Number of events per batch, small enough to hold locks for a fraction of a second. */
const atOnce = 5_000

/**
 * Removes an organization's events older than `before` in batches. Each batch and its own audit event are one
 * transaction in the retention role.
 */
export async function removeAuditEvents(db: Db, { author, before, details }: Removal): Promise<void> {
  const { organizationId } = author
  const about = { action: 'audit-events.forget', resourceType: 'organization', resourceId: organizationId }
  let removed: number
  do {
    removed = await db.transaction(async (tx) => {
      await tx.execute(sql`set local role sluice_audit_retention`)
      const gone = await removeBatch(tx, organizationId, before)
      if (gone === 0) return 0
      const told = { ...details, removed: gone, before: before.toISOString() }
      await recordChange(tx, author, { ...about, details: told })
      return gone
    })
  } while (removed > 0)
}

/**
 * Removes events from the start of the chain, so that the remaining links have no gap. Events written before chains
 * existed go first.
 */
async function removeBatch(tx: Db, organizationId: string, before: Date): Promise<number> {
  return (
    (await removeUnlinked(tx, organizationId, before)) || (await removeLinked(tx, organizationId, before.toISOString()))
  )
}

async function removeLinked(tx: Db, organizationId: string, before: string): Promise<number> {
  const { rows } = (await tx.execute(sql`
    with oldest as (
      select sequence, audit_event_id, created_at from ${auditChain} join ${auditEvents} on id = audit_event_id
      where ${auditChain.organizationId} = ${organizationId} order by sequence limit ${atOnce}),
    gone as (
      select sequence, audit_event_id from oldest where sequence < coalesce(
        (select min(sequence) from oldest where created_at >= ${before}), (select max(sequence) + 1 from oldest))),
    unlinked as (
      delete from ${auditChain} using gone
      where ${auditChain.organizationId} = ${organizationId} and ${auditChain.sequence} = gone.sequence)
    delete from ${auditEvents} using gone where id = gone.audit_event_id returning id`)) as unknown as {
    rows: object[]
  }
  return rows.length
}

async function removeUnlinked(tx: Db, organizationId: string, before: Date): Promise<number> {
  const oldest = tx
    .select({ id: auditEvents.id })
    .from(auditEvents)
    .where(
      sql`${auditEvents.organizationId} = ${organizationId} and ${auditEvents.createdAt} < ${before.toISOString()}
        and not exists (select from ${auditChain} where ${auditChain.auditEventId} = ${auditEvents.id})`,
    )
    .orderBy(auditEvents.createdAt)
    .limit(atOnce)
  const gone = await tx.delete(auditEvents).where(inArray(auditEvents.id, oldest)).returning({ id: auditEvents.id })
  return gone.length
}

/** Lists the organizations with events, with one index lookup per organization. */
async function organizationsWithLines(db: Db): Promise<string[]> {
  const seen = sql`(
    with recursive seen as (
      (select organization_id from audit_events order by organization_id limit 1)
      union all
      select (select organization_id from audit_events where organization_id > seen.organization_id
              order by organization_id limit 1)
      from seen where seen.organization_id is not null)
    select organization_id from seen where organization_id is not null) as organizations_seen`
  const rows = await db.select({ id: sql`organization_id`.mapWith(String) }).from(seen)
  return rows.map(({ id }) => id)
}
