import { sql } from '../../platform/db/drizzle.ts'
import { batchSize, daysBefore, type Forget, inBatches } from '../../platform/db/forgetting.ts'
import type { Db } from '../../platform/db/open.ts'
import { firstIdAt } from '../../platform/ids.ts'

/** Removes the logs of steps that ended more than so many days ago. What became of the steps stays. */
export const forgetStepLogs =
  (days: number): Forget =>
  async (db, now) => {
    const endedBefore = daysBefore(now, days)
    await inBatches(() => removeOldest(db, endedBefore))
    await inBatches(() => removeOldestArchived(db, endedBefore))
  }

/** Steps that ended before were made before, so the index of the logs leads to the oldest; no other is read. */
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

/** The same of those in the archive. Their objects go with them: the trigger `leave_archive` notes which. */
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
