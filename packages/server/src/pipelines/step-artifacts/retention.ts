import { sql } from '../../platform/db/drizzle.ts'
import { type DeleteExpiredRecords, daysBefore } from '../../platform/db/forgetting.ts'
import type { Db } from '../../platform/db/open.ts'
import { firstIdAt } from '../../platform/ids.ts'

/** Number of days for which artifacts are kept: long enough to retry a run from a failed step. */
const retentionDays = 14

/** Maximum number of artifacts that one statement removes, each with up to 80 pieces. */
const artifactsPerStatement = 50

/** Deletes artifacts of steps with their pieces after their retention. */
export const deleteExpiredStepArtifacts: DeleteExpiredRecords = async (db, now) => {
  const createdBefore = daysBefore(now, retentionDays)
  let removed = artifactsPerStatement
  while (removed === artifactsPerStatement) removed = await removeOldest(db, createdBefore)
}

async function removeOldest(db: Db, createdBefore: Date): Promise<number> {
  const removed = await db.execute(sql`
    delete from step_artifacts where id in (
      select id from step_artifacts where id < ${firstIdAt('sart', createdBefore)} order by id limit ${artifactsPerStatement})
    returning 1`)
  return (removed as unknown as { rows: unknown[] }).rows.length
}
