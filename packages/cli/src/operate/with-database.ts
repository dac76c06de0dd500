import type { Config } from '@sluice/server/platform/config/settings'
import type { Keys } from '@sluice/server/platform/crypto/keys'
import { readEncryptionKey } from '@sluice/server/platform/data-dir/encryption-key'
import { encryptionKeysOf } from '@sluice/server/platform/data-dir/keys'
import { openDataDir } from '@sluice/server/platform/data-dir/open'
import { locationOf } from '@sluice/server/platform/db/location'
import { type Db, openDatabase } from '@sluice/server/platform/db/open'

/**
 * Runs work directly on the database: alongside the running service on a PostgreSQL server, or while the service is
 * stopped if the database is embedded.
 * Requires the service's settings and access to its data directory.
 */
export async function withDatabase<T>(config: Config, work: (parts: { db: Db; keys: Keys }) => Promise<T>): Promise<T> {
  const isEmbedded = config.databaseUrl === undefined
  // On a server, another process owns the data directory, so the key is only read.
  const dataDir = isEmbedded ? await openDataDir(config.dataDir) : undefined
  try {
    const keys = await encryptionKeysOf(config, () => dataDir?.encryptionKey() ?? keptKey(config.dataDir))
    const database = await openDatabase(locationOf(config, dataDir?.inside('database') ?? ''))
    try {
      return await work({ db: database.db, keys })
    } finally {
      await database.close()
    }
  } finally {
    dataDir?.close()
  }
}

async function keptKey(directory: string): Promise<Buffer> {
  const key = await readEncryptionKey(directory)
  if (key) return key
  throw new Error(`There is no encryption key: set SLUICE_ENCRYPTION_KEYS, or name the data directory that keeps one.`)
}
