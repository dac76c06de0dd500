import { type ConfigSources, loadCommandConfig } from '@sluice/server/platform/config/load'
import { locationOf } from '@sluice/server/platform/db/location'
import { openDatabase } from '@sluice/server/platform/db/open'
import { letServiceIn } from '@sluice/server/platform/db/service-role'

/** Brings the schema of the database up to date and ends: a job before the processes of a new release start. */
export async function runMigrate(sources: ConfigSources): Promise<void> {
  const config = loadCommandConfig(sources)
  const { databaseUrl, databaseMigrationUrl: ownerUrl } = config
  if (databaseUrl === undefined) {
    throw new Error('DATABASE_URL is not set: the embedded database is brought up to date when the service starts.')
  }
  const database = await openDatabase(locationOf({ ...config, databaseUrl: ownerUrl ?? databaseUrl }, ''))
  await database.close()
  if (ownerUrl !== undefined) await letServiceIn(ownerUrl, databaseUrl)
  console.log(`The schema in ${new URL(databaseUrl).host} is up to date.`)
}
