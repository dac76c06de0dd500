import { access, rename } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { moveDatabase } from '@sluice/server/interface/moving/move'
import { type ConfigSources, loadCommandConfig } from '@sluice/server/platform/config/load'
import { openDataDir } from '@sluice/server/platform/data-dir/open'
import { locationOf } from '@sluice/server/platform/db/location'

/** Moves the embedded database to the server of `DATABASE_URL` and renames the original, so that only one is used. */
export async function runMove(sources: ConfigSources): Promise<void> {
  const config = loadCommandConfig(sources)
  const target = locationOf(config, '')
  if (!('url' in target)) throw new Error('DATABASE_URL is not set: name the empty PostgreSQL database to move to.')
  const directory = join(resolve(config.dataDir), 'database')
  await access(directory).catch((cause) => {
    throw new Error(`There is no embedded database in ${resolve(config.dataDir)}. Name another SLUICE_DATA_DIR.`, {
      cause,
    })
  })
  const dataDir = await openDataDir(config.dataDir)
  try {
    let rows = 0
    await moveDatabase(directory, target, (table) => {
      rows += table.rows
      if (table.rows > 0) console.log(`${table.name}: ${table.rows}`)
    })
    const aside = `${directory}-moved-${Date.now()}`
    await rename(directory, aside)
    console.log(`${rows} rows were moved to ${new URL(target.url).host} and compared. The old database is ${aside}.`)
    console.log(
      'Start with DATABASE_URL from now on, and with the same encryption key: docs/reference/production.md tells where it is.',
    )
  } finally {
    dataDir.close()
  }
}
