import { inArray, notInArray, sql } from '../db/drizzle.ts'
import type { Db } from '../db/open.ts'
import type { Keys } from './keys.ts'
import { encryptionKeys } from './tables.ts'

/** Returns fingerprints of keys, the newest first. */
const fingerprintsOf = (keys: Keys): string[] =>
  keys.secretsFor('fingerprint').map((secret) => secret.toString('base64url'))

/**
 * Throws if a key is missing that encrypted values in the database. Records the newest key, which will encrypt from now
 * on. An empty database accepts any key.
 */
export function expectKnownKeys(db: Db, keys: Keys): Promise<void> {
  const given = fingerprintsOf(keys)
  return db.transaction(async (tx) => {
    const known = await lockKnown(tx)
    if (!known.every((fingerprint) => given.includes(fingerprint))) throw new Error(keyMissing)
    await enter(tx, known, given)
  })
}

/** Returns why the process could not decrypt the values in the database; undefined if it can. Changes nothing. */
export async function lackOfKeys(db: Db, keys: Keys): Promise<string | undefined> {
  const given = fingerprintsOf(keys)
  const known = await db.select().from(encryptionKeys)
  return known.every(({ fingerprint }) => given.includes(fingerprint)) ? undefined : keyMissing
}

const keyMissing =
  'The database was encrypted with another key. Start with SLUICE_ENCRYPTION_KEYS, ' +
  'SLUICE_ENCRYPTION_KEY or the file encryption-key in the data directory as it was then; a new key goes before it in ' +
  'SLUICE_ENCRYPTION_KEYS. If the key is lost: sluice forget-lost-keys.'

/** Removes all keys except the newest, once no value is encrypted with another one. */
export async function retireOlderKeys(db: Db, keys: Keys): Promise<void> {
  const [, ...older] = fingerprintsOf(keys)
  if (older.length > 0) await db.delete(encryptionKeys).where(inArray(encryptionKeys.fingerprint, older))
}

/** Removes lost keys and returns their number. Values that they encrypted stay. */
export function forgetLostKeys(db: Db, keys: Keys): Promise<number> {
  const given = fingerprintsOf(keys)
  return db.transaction(async (tx) => {
    const known = await lockKnown(tx)
    const lost = await tx
      .delete(encryptionKeys)
      .where(notInArray(encryptionKeys.fingerprint, given))
      .returning({ id: encryptionKeys.id })
    await enter(tx, known, given)
    return lost.length
  })
}

/**
 * Locks and returns the known keys, so that two processes with different keys cannot both start on an empty database.
 */
async function lockKnown(tx: Db): Promise<string[]> {
  await tx.execute(sql`lock table ${encryptionKeys} in exclusive mode`)
  return (await tx.select().from(encryptionKeys)).map(({ fingerprint }) => fingerprint)
}

async function enter(tx: Db, known: string[], [newest = '']: string[]): Promise<void> {
  if (!known.includes(newest)) await tx.insert(encryptionKeys).values({ id: newest, fingerprint: newest })
}
