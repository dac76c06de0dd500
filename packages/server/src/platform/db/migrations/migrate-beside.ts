import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import type { readMigrationFiles } from '../drizzle.ts'

type Migration = ReturnType<typeof readMigrationFiles>[number]

/**
 * Maximum time for the locks of a migration in milliseconds, less than PostgreSQL's `deadlock_timeout` of a second. A
 * migration therefore has all its locks or none before a deadlock is detected, and never makes a request fail.
 */
const lockWithinMs = 700
/** Maximum wait for one table in milliseconds. Longer transactions go first. */
const lockOneWithinMs = 200
const pauseMs = 300
const giveUpAfterMs = 120_000

/** Error codes after which a migration is repeated: a lock timeout or a deadlock. */
const comesAgain = new Set(['55P03', '57014', '40P01'])

/**
 * Applies migrations while other processes use the database: each in its own transaction, and with its locks taken
 * first.
 */
export async function migrateOnline(client: pg.ClientBase, migrations: readonly Migration[]): Promise<void> {
  const applied = await client.query('select max(created_at) as newest from drizzle.__drizzle_migrations')
  const newest = Number(applied.rows[0]?.newest ?? 0)
  for (const one of migrations.filter(({ folderMillis }) => folderMillis > newest)) await applyPatiently(client, one)
}

async function applyPatiently(client: pg.ClientBase, migration: Migration): Promise<void> {
  const giveUpAt = performance.now() + giveUpAfterMs
  for (;;) {
    try {
      return await apply(client, migration)
    } catch (error) {
      await client.query('rollback')
      const { code } = error as { code?: unknown }
      if (!comesAgain.has(String(code)) || performance.now() > giveUpAt) throw error
      await sleep(pauseMs * (0.5 + Math.random()))
    }
  }
}

async function apply(client: pg.ClientBase, { sql, hash, folderMillis }: Migration): Promise<void> {
  await client.query('begin')
  const { rows } = await client.query<{ name: string }>(
    `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') order by 1`,
  )
  const tables = rows.map(({ name }) => name)
  const locks = locksFor(sql.join(';\n'), tables)
  if (locks.length > 0) {
    await client.query(`set local lock_timeout = ${lockOneWithinMs}; set local statement_timeout = ${lockWithinMs}`)
    await client.query(locks.join(';')) // one message, so that the timeout covers all
    await client.query('set local lock_timeout = 0; set local statement_timeout = 0')
  }
  for (const statement of sql) await client.query(statement)
  await client.query('insert into drizzle.__drizzle_migrations (hash, created_at) values ($1, $2)', [
    hash,
    folderMillis,
  ])
  await client.query('commit')
}

/** Returns locks for all existing tables that a migration names. Unneeded ones are harmless and short. */
export function locksFor(migration: string, tables: readonly string[]): string[] {
  const words = new Set(migration.toLowerCase().match(/\w+/g))
  const changed = Array.from(
    migration.toLowerCase().matchAll(/\b(?:alter table (?:if exists )?(?:only )?|policy [^;]*? on )"?(\w+)/g),
    ([, name = '']) => name,
  )
  const takesAway = words.has('drop')
  return tables
    .filter((name) => words.has(name))
    .map((name) => {
      const mode = takesAway || changed.includes(name) ? 'access exclusive' : 'share row exclusive'
      return `lock table "${name}" in ${mode} mode`
    })
}
