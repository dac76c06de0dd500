import { type Rounds, startRounds } from '../rounds.ts'
import { sql } from './drizzle.ts'
import type { Db } from './open.ts'

/**
 * A table is seen to when it has grown by half, so that all of it together is read some three times while it grows. One
 * that is smaller than this is read as a whole whatever is known of it. Pages of 8 KiB.
 */
const growth = 1.5
const smallPages = 8

/**
 * Does for the embedded database what a server does by itself (autovacuum), and which it has no process for: without
 * statistics, statements are planned as if every table were nearly empty, and read all rows of an organization to find
 * those of one run; and the room of what was deleted is not used again.
 */
export function startUpkeep(db: Db, everyMs = 60_000): Rounds {
  // What keeps it from being done, such as a full disk, is told by all else that is written; it is tried again.
  return startRounds(() => seeToGrownTables(db), { everyMs, onError: () => {} })
}

/** One table at a time: requests that wait for the only connection come between. Answers with their names. */
export async function seeToGrownTables(db: Db): Promise<string[]> {
  const pages = sql`pg_relation_size(oid) / current_setting('block_size')::int`
  const asSeenTo = sql`greatest(relpages * ${growth}::float8, ${smallPages}::int)`
  const grown = await db
    .select({ name: sql<string>`oid::regclass::text` })
    .from(sql`pg_class`)
    .where(sql`relkind = 'r' and relnamespace = 'public'::regnamespace and ${pages} > ${asSeenTo}`)
  for (const { name } of grown) await db.execute(sql.raw(`vacuum analyze ${name}`))
  return grown.map(({ name }) => name)
}
