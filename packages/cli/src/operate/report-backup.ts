import { reportBackup } from '@sluice/server/interface/backup-reports/store'
import { type ConfigSources, loadCommandConfig } from '@sluice/server/platform/config/load'
import { withDatabase } from './with-database.ts'

/** Notes that a backup of the database has just ended, for the metric of its age and for `sluice doctor`. */
export async function runReportBackup(sources: ConfigSources): Promise<void> {
  const finishedAt = new Date()
  await withDatabase(loadCommandConfig(sources), ({ db }) => reportBackup(db, finishedAt))
  console.log(`Noted a backup that ended at ${finishedAt.toISOString()}.`)
}
