import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import type { readMigrationFiles } from '../drizzle.ts'

type Migration = ReturnType<typeof readMigrationFiles>[number]

/**
 * Whoever waits for a lock for a second is looked at by PostgreSQL, and one of those that wait for each other fails
 * (`deadlock_timeout`). A migration has all its locks, or none, before that: so it is never a request that fails.
 */
const lockWithinMs = 700
/** For one table: what holds it for longer is let through first. */
const lockOneWithinMs = 200
const pauseMs = 300
const giveUpAfterMs = 120_000

/** A table that cannot be had at once, or two that wait for each other. */
const comesAgain = new Set(['55P03', '57014', '40P01'])

/**
 * Applies migrations to a database that other processes work on meanwhile: each in a transaction of its own, so that
 * none is kept waiting by all, and with the locks that it needs taken before anything else.
 */
export async function migrateBeside(client: pg.ClientBase, migrations: readonly Migration[]): Promise<void> {
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
    await client.query(locks.join(';')) // one message, so that the time is that of all
    await client.query('set local lock_timeout = 0; set local statement_timeout = 0')
  }
  for (const statement of sql) await client.query(statement)
  await client.query('insert into drizzle.__drizzle_migrations (hash, created_at) values ($1, $2)', [
    hash,
    folderMillis,
  ])
  await client.query('commit')
}

/** For all that is there already and is named: more than needed does no harm, and is over soon. */
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
