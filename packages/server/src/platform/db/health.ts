import { sql } from './drizzle.ts'
import type { Db } from './open.ts'

/** Returns whether the database answers. */
export const databaseAnswers = (db: Db): Promise<boolean> =>
  db.execute(sql`select 1`).then(
    () => true,
    () => false,
  )

/**
 * Returns whether the database accepts writes: it is not a standby, is not read-only and has disk space. Writes a
 * temporary file, because a row that fits into an existing page can be written even if the disk is full.
 */
export const databaseAcceptsWrites = (db: Db): Promise<boolean> =>
  db.transaction(writeTemporaryFile).then(
    ({ isReadOnly }) => !isReadOnly,
    () => false,
  )

/** PostgreSQL writes rows to a file that need more than `work_mem`, here its minimum; 10,000 rows need some 400 kB. */
async function writeTemporaryFile(tx: Db): Promise<{ isReadOnly: boolean }> {
  await tx.execute(sql`set local work_mem = '64kB'`)
  const isReadOnly = sql<boolean>`current_setting('transaction_read_only')::boolean`
  const [found] = await tx.select({ isReadOnly, rowCount: sql`count(*)` }).from(sql`generate_series(1, 10000)`)
  return { isReadOnly: found?.isReadOnly ?? true }
}
