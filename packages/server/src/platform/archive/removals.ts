import { asc, inArray, lte } from '../db/drizzle.ts'
import type { Db } from '../db/open.ts'
import type { Archive } from './archive.ts'
import { archiveRemovals } from './tables.ts'

/** What a bucket removes in one request. */
const atOnce = 1_000

/**
 * Removes the objects that no row knows any more; how many. The object goes first: whoever is killed in between leaves
 * the note, and the next removes it again.
 */
export async function removeLeft({ db, archive }: { db: Db; archive: Archive }, now: Date): Promise<number> {
  for (let removed = 0; ; ) {
    const due = await db
      .select({ key: archiveRemovals.objectKey })
      .from(archiveRemovals)
      .where(lte(archiveRemovals.dueAt, now))
      .orderBy(asc(archiveRemovals.dueAt))
      .limit(atOnce)
    const keys = due.map(({ key }) => key)
    if (keys.length === 0) return removed
    await archive.remove(keys)
    await db.delete(archiveRemovals).where(inArray(archiveRemovals.objectKey, keys))
    removed += keys.length
  }
}
