import { asc, inArray, lte } from '../db/drizzle.ts'
import type { Db } from '../db/open.ts'
import type { Archive } from './archive.ts'
import { archiveRemovals } from './tables.ts'

/** Maximum number of objects that a bucket removes in one request. */
const atOnce = 1_000

/**
 * Removes the objects without a row and returns their number. The object is removed before its note, so that an
 * interrupted removal is repeated.
 */
export async function removeOrphanedObjects({ db, archive }: { db: Db; archive: Archive }, now: Date): Promise<number> {
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
