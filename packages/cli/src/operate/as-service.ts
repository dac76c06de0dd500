import { sql } from '@sluice/server/platform/db/drizzle'
import type { Db } from '@sluice/server/platform/db/open'
import { ownsAuditLog, serviceSession } from '@sluice/server/platform/db/service-role'

/** Runs work with the service's permissions: in its role, if another role owns the tables. */
export const asService = <T>(db: Db, work: (tx: Db) => Promise<T>): Promise<T> =>
  db.transaction(async (tx) => {
    if ((await ownsAuditLog(tx)) === false)
      await tx.execute(sql`select set_config('role', ${serviceSession.role}, true)`)
    return work(tx)
  })
