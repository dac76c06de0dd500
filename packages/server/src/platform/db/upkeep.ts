import { type PeriodicTask, startPeriodicTask } from '../rounds.ts'
import { sql } from './drizzle.ts'
import type { Db } from './open.ts'

/**
 * Growth factor after which a table is maintained, so that its rows are read some three times while it grows. Smaller
 * tables are always read completely. Pages of 8 KiB.
 */
const growth = 1.5
const smallPages = 8

/**
 * Replaces autovacuum, for which the embedded database has no process. Without statistics, statements are planned as if
 * tables were nearly empty, and read all rows of an organization; and the space of deleted rows is not reused.
 */
export function startUpkeep(db: Db, everyMs = 60_000): PeriodicTask {
  // Other writes report causes such as a full disk; the work is repeated.
  return startPeriodicTask(() => vacuumGrownTables(db), { everyMs, onError: () => {} })
}

/** Maintains grown tables one by one, so that requests for the only connection come between. Returns their names. */
export async function vacuumGrownTables(db: Db): Promise<string[]> {
  const pages = sql`pg_relation_size(oid) / current_setting('block_size')::int`
  const asSeenTo = sql`greatest(relpages * ${growth}::float8, ${smallPages}::int)`
  const grown = await db
    .select({ name: sql<string>`oid::regclass::text` })
    .from(sql`pg_class`)
    .where(sql`relkind = 'r' and relnamespace = 'public'::regnamespace and ${pages} > ${asSeenTo}`)
  for (const { name } of grown) await db.execute(sql.raw(`vacuum analyze ${name}`))
  return grown.map(({ name }) => name)
}
