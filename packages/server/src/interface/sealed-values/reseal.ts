import type { Keys } from '../../platform/crypto/keys.ts'
import { retireOlderKeys } from '../../platform/crypto/known-keys.ts'
import { createSealContext, type SealedColumn } from '../../platform/crypto/place.ts'
import { createSeal, type Seal } from '../../platform/crypto/seal.ts'
import { getTableName, type SQL, sql } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { sealedColumns } from './columns.ts'

/** Progress of one column. */
export type Progress = { column: string; done: number; total: number; unreadable: number }

/** Number of row ids that are read at a time; the values, up to 64 MiB each, are read one by one. */
const batchSize = 500

/**
 * Encrypts all values again that do not use the newest key. Resumes after an interruption, because finished values use
 * the newest key. Counts and skips values that no key decrypts. Afterwards, older keys are not needed any more.
 */
export async function reseal(
  { db, keys }: { db: Db; keys: Keys },
  tell: (progress: Progress) => void = () => {},
): Promise<Progress[]> {
  const all: Progress[] = []
  for (const column of sealedColumns) {
    const seal = createSeal(keys.secretsFor(column.purpose))
    all.push(await resealColumn(db, seal, column, tell))
  }
  await retireOlderKeys(db, keys)
  return all
}

async function resealColumn(
  db: Db,
  seal: Seal,
  sealed: SealedColumn,
  tell: (progress: Progress) => void,
): Promise<Progress> {
  const { table } = sealed.column
  const isOld = sql`not starts_with(${textOf(sealed)}, ${seal.prefix})`
  const [counted] = await rowsOf<{ count: string }>(db, sql`select count(*) as count from ${table} where ${isOld}`)
  const progress = { column: nameOf(sealed), done: 0, total: Number(counted?.count ?? 0), unreadable: 0 }
  let after = ''
  for (;;) {
    const ids = await rowsOf<{ id: string }>(
      db,
      sql`select id from ${table} where id > ${after} and ${isOld} order by id limit ${batchSize}`,
    )
    for (const { id } of ids) {
      const isReadable = await resealOne(db, seal, sealed, id)
      if (isReadable) progress.done += 1
      else progress.unreadable += 1
    }
    const last = ids.at(-1)
    if (progress.total > 0) tell({ ...progress })
    if (!last) return progress
    after = last.id
  }
}

type Found = { organizationId: string; text: string } & Record<`row${number}`, string>

/** Returns false if no key decrypts the value. Skips values that are changed or deleted meanwhile. */
async function resealOne(db: Db, seal: Seal, sealed: SealedColumn, id: string): Promise<boolean> {
  const { column, row } = sealed
  const keyColumns = row.map((part, at) => sql`${part} as ${sql.identifier(`row${at}`)}`)
  const [found] = await rowsOf<Found>(
    db,
    sql`select organization_id as "organizationId", ${textOf(sealed)} as text, ${sql.join(keyColumns, sql`, `)}
        from ${column.table} where id = ${id}`,
  )
  if (!found?.text) return true
  const place = createSealContext(sealed, found.organizationId, ...row.map((_, at) => found[`row${at}`] ?? ''))
  const opened = tryOpen(seal, place, found.text)
  if (!opened) return false
  const anew = seal.closeBytes(place, opened)
  const value = sealed.key === undefined ? sql`${anew}` : sql`jsonb_build_object(${sealed.key}::text, ${anew}::text)`
  await db.execute(
    sql`update ${column.table} set ${sql.identifier(column.name)} = ${value}
        where id = ${id} and ${textOf(sealed)} = ${found.text}`,
  )
  return true
}

function tryOpen(seal: Seal, place: string, text: string): Buffer | undefined {
  try {
    return seal.openBytes(place, text)
  } catch {
    return undefined // the caller counts it
  }
}

const textOf = ({ column, key }: SealedColumn): SQL =>
  key === undefined ? sql`${column}` : sql`(${column} ->> ${key}::text)`

const nameOf = ({ column }: SealedColumn): string => `${getTableName(column.table)}.${column.name}`

async function rowsOf<Row>(db: Db, statement: SQL): Promise<Row[]> {
  const { rows } = (await db.execute(statement)) as unknown as { rows: Row[] }
  return rows
}
