import { setTimeout as sleep } from 'node:timers/promises'
import { type ConfigSources, loadCommandConfig } from '@sluice/server/platform/config/load'
import { locationOf } from '@sluice/server/platform/db/location'
import { expectMigrated, openDatabase } from '@sluice/server/platform/db/open'
import { grantServiceAccess } from '@sluice/server/platform/db/service-role'

/** Migrates the database schema and exits: a job before a new release starts. */
export async function runMigrate(sources: ConfigSources): Promise<void> {
  const config = loadCommandConfig(sources)
  const databaseUrl = serverOf(config)
  const { databaseMigrationUrl: ownerUrl } = config
  const database = await openDatabase(locationOf({ ...config, databaseUrl: ownerUrl ?? databaseUrl }, ''))
  await database.close()
  if (ownerUrl !== undefined) await grantServiceAccess(ownerUrl, databaseUrl)
  console.log(`The schema in ${new URL(databaseUrl).host} is up to date.`)
}

/** Maximum wait in milliseconds, for starting a job, pulling its image and migrating a large database. */
const maxWaitMs = 30 * 60_000
const intervalMs = 1_000

/** Waits until another process has migrated the schema: a step before a process of a new release starts. */
export async function waitForMigration(sources: ConfigSources): Promise<void> {
  const databaseUrl = serverOf(loadCommandConfig(sources))
  const deadline = performance.now() + maxWaitMs
  for (let lastReason = ''; ; await sleep(intervalMs)) {
    const reason = await expectMigrated(databaseUrl).catch((error: Error) => error.message)
    if (reason === undefined) break
    if (performance.now() > deadline) throw new Error(`${reason} Run sluice migrate.`)
    if (reason !== lastReason) console.log(`${reason} Waiting for sluice migrate.`)
    lastReason = reason
  }
  console.log(`The schema in ${new URL(databaseUrl).host} is up to date.`)
}

function serverOf({ databaseUrl }: { databaseUrl: string | undefined }): string {
  if (databaseUrl !== undefined) return databaseUrl
  throw new Error('DATABASE_URL is not set: the embedded database is brought up to date when the service starts.')
}
