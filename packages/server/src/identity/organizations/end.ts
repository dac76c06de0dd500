import type { Logger } from 'pino'
import { eq, type SQL, sql } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { type PeriodicTask, startPeriodicTask } from '../../platform/rounds.ts'
import { serviceAuthor } from '../audit-events/author.ts'
import { recordChange } from '../audit-events/record.ts'
import { listEnding, lockDueOrganization, type OrganizationRow } from './store.ts'
import { organizations } from './tables.ts'

/** Returns what blocks the deletion of an organization: work in progress, and resources that others use. */
export type FindBlockers = (db: Db, organizationId: string) => Promise<string[]>

type EndParts = { db: Db; clock: () => Date; log: Logger; findBusy: FindBlockers }

/** Number of rows per statement, small enough to hold locks for a fraction of a second. */
const atOnce = 1_000

/** Deletes the organizations that are due, with all their data. Returns how many were deleted. */
export async function deleteDueOrganizations(parts: EndParts): Promise<number> {
  let ended = 0
  for (const id of await listEnding(parts.db, parts.clock())) {
    if (await end(parts, id)) ended++
  }
  return ended
}

/**
 * Deletes in batches, each in a transaction that locks the organization, so that the next run can continue after a
 * crash. Retains audit events for their period, so that a malicious owner cannot remove traces.
 */
async function end(parts: EndParts, id: string): Promise<boolean> {
  for (const table of inOrder(await tablesOf(parts.db))) {
    let removed: number | undefined = atOnce
    while (removed === atOnce) removed = await holding(parts, id, (tx) => removeBatch(tx, table, id))
    if (removed === undefined) return false
  }
  return (await holding(parts, id, removeItself)) === true
}

/** Runs work in a transaction that locks an organization due for deletion. Returns undefined if it is no longer due. */
const holding = <T>(
  { db, clock, log, findBusy }: EndParts,
  id: string,
  work: (tx: Db, organization: OrganizationRow) => Promise<T>,
): Promise<T | undefined> =>
  db.transaction(async (tx) => {
    const organization = await lockDueOrganization(tx, id, clock())
    if (!organization) return undefined
    const busy = await findBusy(tx, id)
    if (busy.length === 0) return work(tx, organization)
    log.warn({ organizationId: id, busy }, 'an organization that is to be deleted waits for these')
    return undefined
  })

/** Deletes a batch of rows from a table and returns their number. */
async function removeBatch(tx: Db, name: string, organizationId: string): Promise<number> {
  const table = sql.identifier(name)
  const batch = sql`select ctid from ${table} where ${isTheirs(name, organizationId)} limit ${atOnce}`
  const gone = sql`with gone as (delete from ${table} where ctid = any(array(${batch})) returning 1)
    select count(*)::int as removed from gone`
  return (await rowsOf<{ removed: number }>(tx, gone))[0]?.removed ?? 0
}

/** Rows inserted meanwhile are deleted by cascade. */
async function removeItself(tx: Db, { id, givenId, name }: OrganizationRow): Promise<true> {
  await tx.delete(organizations).where(eq(organizations.id, id))
  const about = { action: 'organizations.end', resourceType: 'organization', resourceId: id }
  await recordChange(tx, serviceAuthor(id), { ...about, before: { givenId, name } })
  return true
}

/** Selects the organization's rows, except the row count of its audit log, which remains. */
const isTheirs = (table: string, organizationId: string): SQL =>
  table === 'row_counts'
    ? sql`organization_id = ${organizationId} and table_name <> 'audit_events'`
    : sql`organization_id = ${organizationId}`

type Tables = { names: string[]; references: { from: string; to: string }[] }

/** Reads the tables with organization data and their references from the database catalog, so that none is missed. */
async function tablesOf(db: Db): Promise<Tables> {
  const named = await rowsOf<{ name: string }>(
    db,
    sql`select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid
      where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and a.attname = 'organization_id'
        and not a.attisdropped and c.relname not in ('audit_events', 'audit_chain', 'audit_heads') order by 1`,
  )
  const references = await rowsOf<{ from: string; to: string }>(
    db,
    sql`select f.relname as "from", t.relname as "to" from pg_constraint r
      join pg_class f on f.oid = r.conrelid join pg_class t on t.oid = r.confrelid where r.contype = 'f'`,
  )
  return { names: named.map(({ name }) => name), references }
}

/** Orders tables so that referring ones come first. Tables that triggers write to during deletions come last. */
export function inOrder({ names, references }: Tables): string[] {
  const written = ['changes', 'search_words', 'row_counts']
  const left = new Set(names.filter((name) => !written.includes(name)))
  const ordered: string[] = []
  while (left.size > 0) {
    const isReferredTo = (name: string) =>
      references.some(({ from, to }) => to === name && from !== name && left.has(from))
    const next = [...left].filter((name) => !isReferredTo(name))
    if (next.length === 0) throw new Error(`tables refer to each other: ${[...left].join(', ')}`)
    for (const name of next) left.delete(name)
    ordered.push(...next)
  }
  return [...ordered, ...written.filter((name) => names.includes(name))]
}

const rowsOf = async <Row>(db: Db, query: SQL): Promise<Row[]> =>
  ((await db.execute(query)) as unknown as { rows: Row[] }).rows

/** Deletes due organizations every `everyMs` milliseconds until stopped. */
export const startDeletions = (parts: EndParts, everyMs = 60_000): PeriodicTask =>
  startPeriodicTask(() => deleteDueOrganizations(parts), {
    everyMs,
    onError: (error) => parts.log.warn({ err: error }, 'an organization could not be removed'),
  })
