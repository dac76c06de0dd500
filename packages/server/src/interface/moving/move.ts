import pg from 'pg'
import { resetPollerPositions } from '../../notifications/notification-channels/store.ts'
import { type CopiedTable, copyDatabase, expectEmpty } from '../../platform/db/copy.ts'
import { drizzlePostgres, getTableName } from '../../platform/db/drizzle.ts'
import { type Db, openDatabase, throwConnectionRejected } from '../../platform/db/open.ts'
import { changes } from '../changes/tables.ts'

type Target = { url: string; allowsSuperuser?: boolean }

/**
 * Copies the embedded database in `directory` to an empty database on a server. After a failure the target stays empty,
 * so that the move can be repeated. Requires exclusive access to the directory. Migrates the source, and changes
 * nothing else in it.
 */
export async function moveDatabase(
  directory: string,
  target: Target,
  onTable?: (table: CopiedTable) => void,
): Promise<void> {
  await expectEmptyAt(target.url) // before our tables could be created among others
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
 * Copies all tables except changes: these refer to transaction numbers of the source and are retained only for minutes.
 * Their followers must read everything once.
 */
export const copyAll = (from: Db, to: Db, onTable: (table: CopiedTable) => void = () => {}): Promise<void> =>
  copyDatabase(from, to, { leftOut: [getTableName(changes)], mend: resetPollerPositions, onTable })

async function expectEmptyAt(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 })
  await client.connect().catch((cause: Error) => throwConnectionRejected(url, cause))
  try {
    await expectEmpty(drizzlePostgres(client) as unknown as Db)
  } finally {
    await client.end()
  }
}
