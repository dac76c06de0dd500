import { and, asc, inArray, isNull, lt } from '../../platform/db/drizzle.ts'
import { batchSize, type DeleteExpiredRecords, daysBefore, inBatches } from '../../platform/db/forgetting.ts'
import { firstIdAt } from '../../platform/ids.ts'
import { infrastructureEvents } from './tables.ts'

/**
 * Deletes the events of all accounts that are older than this many days, except those that are still to be examined.
 */
export const deleteExpiredEvents =
  (days: number): DeleteExpiredRecords =>
  (db, now) =>
    inBatches(async () => {
      const { id, wakeAt } = infrastructureEvents
      const oldest = db
        .select({ id })
        .from(infrastructureEvents)
        .where(and(lt(id, firstIdAt('evt', daysBefore(now, days))), isNull(wakeAt)))
        .orderBy(asc(id))
        .limit(batchSize)
      return (await db.delete(infrastructureEvents).where(inArray(id, oldest)).returning({ id })).length
    })
