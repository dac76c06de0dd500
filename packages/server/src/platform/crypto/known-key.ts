import type { Db } from '../db/open.ts'
import { encryptionKeys } from './tables.ts'

const id = 'current'

/**
 * Throws where another key sealed what the database holds: the process could open nothing of it, and what it sealed
 * nobody else could open. An empty database takes the key that it is first started with.
 */
export async function expectKnownKey(db: Db, fingerprint: string): Promise<void> {
  await db.insert(encryptionKeys).values({ id, fingerprint }).onConflictDoNothing()
  const [known] = await db.select().from(encryptionKeys)
  if (known?.fingerprint === fingerprint) return
  const remedy = 'Start with SLUICE_ENCRYPTION_KEY, or the file encryption-key in the data directory, as it was then.'
  throw new Error(`The database was sealed with another encryption key than this one. ${remedy}`)
}
