import { sql } from '@sluice/server/platform/db/drizzle'
import type { Db } from '@sluice/server/platform/db/open'
import { ownsAuditLog, serviceSession } from '@sluice/server/platform/db/service-role'

/** Does what the service may do: where another role owns the tables, in the role that the service acts in. */
export const asService = <T>(db: Db, work: (tx: Db) => Promise<T>): Promise<T> =>
  db.transaction(async (tx) => {
    if ((await ownsAuditLog(tx)) === false)
      await tx.execute(sql`select set_config('role', ${serviceSession.role}, true)`)
    return work(tx)
  })
