import { readMigrationFiles, sql } from '../drizzle.ts'
import type { Db } from '../open.ts'

/**
 * First migration from which versions stay compatible with later schemas: since 0032, migrations keep what the previous
 * version needs, and thereby also what older ones need.
 */
const firstThatLives = 31

/**
 * Declaration of a migration that removes something: the newest migration of the first release that does not need it.
 */
const declaration = /^-- contracts: not used since \d+\.\d+\.\d+, which ends with (\d{4})$/gm

type Migration = { folderMillis: number; sql: string[] }

/** Returns the oldest migration whose version is compatible with the schema of all these migrations. */
export function oldestCompatibleMigration(migrations: readonly Migration[]): number {
  const declared = migrations.flatMap((one) =>
    Array.from(one.sql.join('\n').matchAll(declaration), ([, at]) => Number(at)),
  )
  return migrations[Math.max(firstThatLives, ...declared)]?.folderMillis ?? 0
}

/**
 * Stores the oldest compatible version in the comment on the schema of the migrations' list, since earlier versions
 * cannot know later schemas.
 */
export async function storeOldestCompatible(db: Db, migrationsFolder: string): Promise<void> {
  const oldest = oldestCompatibleMigration(readMigrationFiles({ migrationsFolder }))
  if ((await readOldestCompatible(db)) === oldest) return
  await db.execute(sql`comment on schema drizzle is ${sql.raw(`'${prefix}${oldest}'`)}`)
}

/** Returns the oldest compatible migration that the latest version stored; undefined if none is stored. */
export async function readOldestCompatible(db: Db): Promise<number | undefined> {
  const [row] = await db
    .select({ said: sql<string | null>`obj_description(to_regnamespace('drizzle'), 'pg_namespace')` })
    .from(sql`(values (1)) as one`)
  return row?.said?.startsWith(prefix) ? Number(row.said.slice(prefix.length)) : undefined
}

const prefix = 'lives with versions from migration '
