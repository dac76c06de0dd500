import { readMigrationFiles, sql } from '../drizzle.ts'
import type { Db } from '../open.ts'

/**
 * Versions up to which migration can live with the schema, by the number of their newest one: those from 0032 on leave
 * what the version before needs. So does a version that is older by many, as what it needs was never taken away.
 */
const firstThatLives = 31

/** A step that takes something away says which migration was the newest of the first release that does without. */
const declaration = /^-- contracts: not used since \d+\.\d+\.\d+, which ends with (\d{4})$/gm

type Migration = { folderMillis: number; sql: string[] }

/** The oldest migration with which a version, as its newest one, can live with the schema that all of these make. */
export function oldestThatLives(migrations: readonly Migration[]): number {
  const declared = migrations.flatMap((one) =>
    Array.from(one.sql.join('\n').matchAll(declaration), ([, at]) => Number(at)),
  )
  return migrations[Math.max(firstThatLives, ...declared)]?.folderMillis ?? 0
}

/**
 * Earlier versions cannot know whether they can live with a schema that was made after them, so the latest writes it
 * down: as the comment on the schema in which the list of migrations is, which needs no table of its own.
 */
export async function tellOldestThatLives(db: Db, migrationsFolder: string): Promise<void> {
  const oldest = oldestThatLives(readMigrationFiles({ migrationsFolder }))
  if ((await toldOldestThatLives(db)) === oldest) return
  await db.execute(sql`comment on schema drizzle is ${sql.raw(`'${prefix}${oldest}'`)}`)
}

/** What the latest version that has written here said; undefined where it did not say. */
export async function toldOldestThatLives(db: Db): Promise<number | undefined> {
  const [row] = await db
    .select({ said: sql<string | null>`obj_description(to_regnamespace('drizzle'), 'pg_namespace')` })
    .from(sql`(values (1)) as one`)
  return row?.said?.startsWith(prefix) ? Number(row.said.slice(prefix.length)) : undefined
}

const prefix = 'lives with versions from migration '
