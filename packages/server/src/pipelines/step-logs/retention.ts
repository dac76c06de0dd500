import { sql } from '../../platform/db/drizzle.ts'
import { batchSize, type DeleteExpiredRecords, daysBefore, inBatches } from '../../platform/db/forgetting.ts'
import type { Db } from '../../platform/db/open.ts'
import { firstIdAt } from '../../platform/ids.ts'

/** Deletes the logs of steps that ended more than this many days ago. The steps and their results remain. */
export const deleteExpiredStepLogs =
  (days: number): DeleteExpiredRecords =>
  async (db, now) => {
    const endedBefore = daysBefore(now, days)
    await inBatches(() => removeOldest(db, endedBefore))
    await inBatches(() => removeOldestArchived(db, endedBefore))
  }

/** Deletes the oldest logs. Step ids are ordered by creation, so the index leads to them without reading others. */
async function removeOldest(db: Db, endedBefore: Date): Promise<number> {
  const removed = await db.execute(sql`
    delete from step_log_chunks where (step_execution_id, sequence) in (
      select chunk.step_execution_id, chunk.sequence
      from step_log_chunks chunk join pipeline_step_executions step on step.id = chunk.step_execution_id
      where chunk.step_execution_id < ${firstIdAt('step', endedBefore)}
        and step.completed_at < ${endedBefore.toISOString()}
      order by chunk.step_execution_id, chunk.sequence
      limit ${batchSize})
    returning 1`)
  return (removed as unknown as { rows: unknown[] }).rows.length
}

/** Deletes the oldest archived logs. The trigger `leave_archive` records their objects for deletion. */
async function removeOldestArchived(db: Db, endedBefore: Date): Promise<number> {
  const removed = await db.execute(sql`
    delete from archived_step_logs where id in (
      select archived.id
      from archived_step_logs archived join pipeline_step_executions step on step.id = archived.step_execution_id
      where archived.step_execution_id < ${firstIdAt('step', endedBefore)}
        and step.completed_at < ${endedBefore.toISOString()}
      order by archived.step_execution_id, archived.first_sequence
      limit ${batchSize})
    returning 1`)
  return (removed as unknown as { rows: unknown[] }).rows.length
}
