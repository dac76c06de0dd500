import { eq, inArray, lte, sql } from '../../platform/db/drizzle.ts'
import { batchSize, type DeleteExpiredRecords, inBatches } from '../../platform/db/forgetting.ts'
import { stackWorkspaces } from '../stacks/tables.ts'
import { iacStateVersions } from './tables.ts'

/** Deletes all but the newest `kept` state versions of each workspace. The current one is always retained. */
export const deleteOldStateVersions =
  (kept: number): DeleteExpiredRecords =>
  (db) =>
    inBatches(async () => {
      const { id, sequence, workspaceId } = iacStateVersions
      const oldest = db
        .select({ id })
        .from(iacStateVersions)
        .innerJoin(stackWorkspaces, eq(stackWorkspaces.id, workspaceId))
        .where(lte(sequence, sql`${stackWorkspaces.latestStateSequence} - ${kept}::int`))
        .limit(batchSize)
      return (await db.delete(iacStateVersions).where(inArray(id, oldest)).returning({ id })).length
    })
