import { inArray, notInArray, sql } from '../db/drizzle.ts'
import type { Db } from '../db/open.ts'
import type { Keys } from './keys.ts'
import { encryptionKeys } from './tables.ts'

/** What tells keys apart and shows nothing of them. The newest first. */
const fingerprintsOf = (keys: Keys): string[] =>
  keys.secretsFor('fingerprint').map((secret) => secret.toString('base64url'))

/**
 * Throws where a key is missing that sealed something that the database holds: the process could not open it. The
 * newest key is entered, since it will seal from now on; an empty database takes any.
 */
export function expectKnownKeys(db: Db, keys: Keys): Promise<void> {
  const given = fingerprintsOf(keys)
  return db.transaction(async (tx) => {
    const known = await lockKnown(tx)
    if (!known.every((fingerprint) => given.includes(fingerprint))) throw new Error(keyMissing)
    await enter(tx, known, given)
  })
}

/** Why the process could not open what the database holds; undefined where it can. Changes nothing. */
export async function lackOfKeys(db: Db, keys: Keys): Promise<string | undefined> {
  const given = fingerprintsOf(keys)
  const known = await db.select().from(encryptionKeys)
  return known.every(({ fingerprint }) => given.includes(fingerprint)) ? undefined : keyMissing
}

const keyMissing =
  'The database was sealed with another encryption key than this one. Start with SLUICE_ENCRYPTION_KEYS, ' +
  'SLUICE_ENCRYPTION_KEY or the file encryption-key in the data directory as it was then; a new key goes before it in ' +
  'SLUICE_ENCRYPTION_KEYS. If the key is lost: sluice forget-lost-keys.'

/** Forgets every key but the newest: nothing that can be opened is sealed with another one any more. */
export async function retireOlderKeys(db: Db, keys: Keys): Promise<void> {
  const [, ...older] = fingerprintsOf(keys)
  if (older.length > 0) await db.delete(encryptionKeys).where(inArray(encryptionKeys.fingerprint, older))
}

/** Forgets the keys that nobody has any more; how many there were. What they sealed stays where it is. */
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

/** Two processes that start at once on an empty database with different keys must not both be the first. */
async function lockKnown(tx: Db): Promise<string[]> {
  await tx.execute(sql`lock table ${encryptionKeys} in exclusive mode`)
  return (await tx.select().from(encryptionKeys)).map(({ fingerprint }) => fingerprint)
}

async function enter(tx: Db, known: string[], [newest = '']: string[]): Promise<void> {
  if (!known.includes(newest)) await tx.insert(encryptionKeys).values({ id: newest, fingerprint: newest })
}
