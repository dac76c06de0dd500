import type { ActorType, Channel } from '@sluice/contract'
import { type AnyPgColumn, and, desc, eq, gte, inArray, lt, type SQL, sql } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { type PageBounds, type PageRows, selectCountedPage } from '../../platform/db/page.ts'
import type { Author } from './author.ts'
import type { Change } from './record.ts'
import { type AuditEventRow, auditChain, auditEvents } from './tables.ts'
import type { ChainedRow } from './wire.ts'

export interface AuditEventFilters {
  resourceType?: string
  resourceId?: string
  projectId?: string
  actorType?: ActorType
  actorId?: string
  /** Prefix of the actor's name. */
  actorName?: string
  action?: string
  channel?: Channel
  startTime?: string
  endTime?: string
}

/** Returns the condition for the filters, or undefined without filters. */
function filterOf({ actorName, startTime, endTime, ...exact }: AuditEventFilters): SQL | undefined {
  return and(
    is(auditEvents.resourceType, exact.resourceType),
    is(auditEvents.resourceId, exact.resourceId),
    is(auditEvents.projectId, exact.projectId),
    is(auditEvents.actorType, exact.actorType),
    is(auditEvents.actorId, exact.actorId),
    is(auditEvents.action, exact.action),
    is(auditEvents.channel, exact.channel),
    // Unlike `like`, this function is leakproof, so its index also works with row-level security.
    actorName === undefined ? undefined : sql`starts_with(${auditEvents.actorName}, ${actorName})`,
    startTime === undefined ? undefined : gte(auditEvents.createdAt, new Date(startTime)),
    endTime === undefined ? undefined : lt(auditEvents.createdAt, new Date(endTime)),
  )
}

const is = (column: AnyPgColumn, wanted: string | undefined): SQL | undefined =>
  wanted === undefined ? undefined : eq(column, wanted)

export async function listAuditEvents(
  db: Db,
  organizationId: string,
  wanted: AuditEventFilters,
  page: PageBounds,
): Promise<PageRows<ChainedRow>> {
  const { rows, totalCount } = await selectCountedPage(db, auditEvents, organizationId, filterOf(wanted), page)
  return { rows: await withLinks(db, organizationId, rows), totalCount }
}

/** Returns events with their links to the previous events. */
export async function withLinks(db: Db, organizationId: string, rows: AuditEventRow[]): Promise<ChainedRow[]> {
  const { auditEventId, sequence, previousHash, hash } = auditChain
  const ids = rows.map(({ id }) => id)
  const links = await db
    .select({ auditEventId, sequence, previousHash, hash })
    .from(auditChain)
    .where(and(eq(auditChain.organizationId, organizationId), inArray(auditEventId, ids)))
  const linkOf = new Map(links.map(({ auditEventId: id, ...link }) => [id, link]))
  return rows.map((row) => ({ ...row, link: linkOf.get(row.id) ?? null }))
}

/** Reports whether the same actor's event with the same details was recorded within the last `seconds`. */
export async function wasRecentlyRecorded(
  db: Db,
  { organizationId, actorId }: Author,
  { action, resourceId, details = {} }: Change,
  seconds: number,
): Promise<boolean> {
  const same = and(
    eq(auditEvents.organizationId, organizationId),
    eq(auditEvents.resourceId, resourceId),
    eq(auditEvents.actorId, actorId),
    eq(auditEvents.action, action),
    sql`${auditEvents.details} @> ${JSON.stringify(details)}::jsonb`,
    sql`${auditEvents.createdAt} > now() - make_interval(secs => ${seconds})`,
  )
  return (await db.$count(auditEvents, same)) > 0
}

/** Number of events in memory at a time, some hundred KB. */
const atOnce = 200

/** Reads all matching events in batches, newest first. */
export async function* readAuditEvents(
  db: Db,
  organizationId: string,
  wanted: AuditEventFilters,
): AsyncGenerator<ChainedRow[]> {
  const filter = and(eq(auditEvents.organizationId, organizationId), filterOf(wanted))
  let before: string | undefined
  do {
    const rows = await db
      .select()
      .from(auditEvents)
      .where(and(filter, before === undefined ? undefined : lt(auditEvents.id, before)))
      .orderBy(desc(auditEvents.id))
      .limit(atOnce)
    if (rows.length > 0) yield await withLinks(db, organizationId, rows)
    before = rows.length < atOnce ? undefined : rows.at(-1)?.id
  } while (before !== undefined)
}
