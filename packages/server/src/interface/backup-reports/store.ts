import type { Db } from '../../platform/db/open.ts'
import { backupReports } from './tables.ts'

const id = 'last'

/** Notes that a backup has ended. */
export async function reportBackup(db: Db, finishedAt: Date): Promise<void> {
  await db
    .insert(backupReports)
    .values({ id, finishedAt })
    .onConflictDoUpdate({ target: backupReports.id, set: { finishedAt } })
}

/** Returns when the last reported backup ended; undefined where none was ever reported. */
export async function findLastBackup(db: Db): Promise<Date | undefined> {
  const [row] = await db.select().from(backupReports)
  return row?.finishedAt
}
