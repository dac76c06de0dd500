import type { Db } from '../../platform/db/open.ts'
import { backupReports } from './tables.ts'

const id = 'last'

/** Records the end of a backup. */
export async function reportBackup(db: Db, finishedAt: Date): Promise<void> {
  await db
    .insert(backupReports)
    .values({ id, finishedAt })
    .onConflictDoUpdate({ target: backupReports.id, set: { finishedAt } })
}

/** Returns when the last reported backup ended; undefined if none was reported. */
export async function findLastBackup(db: Db): Promise<Date | undefined> {
  const [row] = await db.select().from(backupReports)
  return row?.finishedAt
}
