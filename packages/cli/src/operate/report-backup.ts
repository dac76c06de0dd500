import { reportBackup } from '@sluice/server/interface/backup-reports/store'
import { type ConfigSources, loadCommandConfig } from '@sluice/server/platform/config/load'
import { openDataDir } from '@sluice/server/platform/data-dir/open'
import { sql } from '@sluice/server/platform/db/drizzle'
import { locationOf } from '@sluice/server/platform/db/location'
import { inspectDatabase } from '@sluice/server/platform/db/look'
import type { Db } from '@sluice/server/platform/db/open'
import { asService } from './as-service.ts'

/**
 * Records that a database backup has just completed, for the metric of its age and for `sluice doctor`. Works with any
 * version, because it changes no schema and needs no key.
 */
export async function runReportBackup(sources: ConfigSources): Promise<void> {
  const config = loadCommandConfig(sources)
  const finishedAt = new Date()
  const dataDir = config.databaseUrl === undefined ? await openDataDir(config.dataDir) : undefined
  try {
    await inspectDatabase(locationOf(config, dataDir?.inside('database') ?? ''), (db) =>
      asService(db, async (tx) => {
        await expectTable(tx)
        await reportBackup(tx, finishedAt)
      }),
    )
  } finally {
    dataDir?.close()
  }
  console.log(`Noted a backup that ended at ${finishedAt.toISOString()}.`)
}

async function expectTable(db: Db): Promise<void> {
  const { rows } = (await db.execute(
    sql`select to_regclass('backup_reports') is not null as "isThere"`,
  )) as unknown as { rows: { isThere: boolean }[] }
  if (rows[0]?.isThere) return
  throw new Error('The schema of the database is that of a version without backup reports. Upgrade the service first.')
}
