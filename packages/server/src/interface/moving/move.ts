import pg from 'pg'
import { distrustPositions } from '../../notifications/notification-channels/store.ts'
import { type CopiedTable, copyDatabase, expectEmpty } from '../../platform/db/copy.ts'
import { drizzlePostgres, getTableName } from '../../platform/db/drizzle.ts'
import { type Db, notLetIn, openDatabase } from '../../platform/db/open.ts'
import { changes } from '../changes/tables.ts'

type Target = { url: string; allowsSuperuser?: boolean }

/**
 * Copies all that the embedded database in `directory` holds into an empty one on a server. Whatever fails, and
 * wherever, leaves that without a row, so it can be moved to again. Nobody else may have the directory meanwhile. The
 * source is brought up to date, as by a start, and not changed otherwise.
 */
export async function moveDatabase(
  directory: string,
  target: Target,
  onTable?: (table: CopiedTable) => void,
): Promise<void> {
  await expectEmptyAt(target.url) // before our tables are made among others'
  const from = await openDatabase({ directory })
  try {
    const to = await openDatabase(target)
    try {
      await copyAll(from.db, to.db, onTable)
    } finally {
      await to.close()
    }
  } finally {
    await from.close()
  }
}

/**
 * Changes name transactions by numbers that mean nothing in another database, and are kept for minutes: so they stay
 * behind. Whoever follows them by such a number must look at everything once.
 */
export const copyAll = (from: Db, to: Db, onTable: (table: CopiedTable) => void = () => {}): Promise<void> =>
  copyDatabase(from, to, { leftOut: [getTableName(changes)], mend: distrustPositions, onTable })

async function expectEmptyAt(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 })
  await client.connect().catch((cause: Error) => notLetIn(url, cause))
  try {
    await expectEmpty(drizzlePostgres(client) as unknown as Db)
  } finally {
    await client.end()
  }
}
