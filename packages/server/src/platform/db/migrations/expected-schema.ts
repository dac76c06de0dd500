import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from '../drizzle.ts'
import type { Db } from '../open.ts'
import { migrationsFolder } from './migrations-folder.ts'

/** Objects that the migrations create, one per line. `npm run schema` writes the file. */
export const catalogFile = join(migrationsFolder, 'catalog.txt')

/**
 * Returns the objects of a database in the format of `catalogFile`. Excludes disabled triggers, invalid indexes,
 * constraints that were not validated, and policies for other roles. Omits precisions, which can differ in columns of
 * earlier versions.
 */
const objects = sql`
  select format('%s %s', case relkind when 'S' then 'sequence' when 'v' then 'view' else 'table' end, relname) as line
    from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'S', 'v')
  union all
  select format('column %s.%s %s%s', relname, attname, format_type(atttypid, null),
      case when attnotnull then ' not null' else '' end)
    from pg_attribute join pg_class on pg_class.oid = attrelid
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and attnum > 0 and not attisdropped
  union all
  select format('index %s on %s', named.relname, owner.relname)
    from pg_index join pg_class named on named.oid = indexrelid join pg_class owner on owner.oid = indrelid
    where owner.relnamespace = 'public'::regnamespace and indisvalid
  union all
  select format('constraint %s on %s', conname, relname)
    from pg_constraint join pg_class on pg_class.oid = conrelid
    where relnamespace = 'public'::regnamespace and contype in ('c', 'f', 'p', 'u', 'x') and convalidated
  union all
  select format('trigger %s on %s', tgname, relname)
    from pg_trigger join pg_class on pg_class.oid = tgrelid
    where relnamespace = 'public'::regnamespace and not tgisinternal and tgenabled <> 'D'
  union all
  select format('row-level security on %s', relname)
    from pg_class where relnamespace = 'public'::regnamespace and relrowsecurity
  union all
  select format('%s policy %s on %s', case when polpermissive then 'permissive' else 'restrictive' end, polname, relname)
    from pg_policy join pg_class on pg_class.oid = polrelid
    where relnamespace = 'public'::regnamespace and polroles && array[0::oid, to_regrole('sluice_tenant')]
  union all
  select format('function %s', proname) from pg_proc where pronamespace = 'public'::regnamespace
  union all
  select format('role %s', rolname) from pg_roles where rolname in ('sluice_tenant', 'sluice_audit_retention')`

/** Functions with the same name are one line. */
const lines = sql`select distinct line collate "C" as line from (${objects}) as objects`

const expectedLines = (): string[] => readFileSync(catalogFile, 'utf8').trim().split('\n')

/** Throws unless the database has every object of this version's schema, and no other policy. */
export async function expectWholeSchema(db: Db): Promise<void> {
  const expected = expectedLines()
  if ((await digestOf(db)) === createHash('md5').update(expected.join('\n')).digest('hex')) return
  const difference = differenceBetween(expected, await catalogOf(db))
  if (difference !== undefined) throw new Error(difference)
}

/**
 * Throws if a restore has not finished, as far as that shows before a migration: tables exist, but the list of
 * migrations is missing.
 */
export async function expectFinishedRestore(db: Db): Promise<void> {
  const tables = expectedLines().flatMap((line) => /^table (\w+)$/.exec(line)?.slice(1) ?? [])
  const { rows } = (await db.execute(
    sql`select count(*)::int as tables, to_regclass('drizzle.__drizzle_migrations') is not null as "hasList"
      from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' and relname = any(${sql.param(tables)})`,
  )) as unknown as { rows: { tables: number; hasList: boolean }[] }
  const [{ tables: count = 0, hasList = false } = {}] = rows
  if (count === 0) return
  if (hasList) {
    const list = await db.execute(sql`select from drizzle.__drizzle_migrations limit 1`)
    if ((list as unknown as { rows: unknown[] }).rows.length > 0) return
  }
  throw new Error(`The database has ${count} of the tables, but no list of migrations. ${restoreAgain}`)
}

/** Returns the lines of the database, sorted by their bytes. */
export async function catalogOf(db: Db): Promise<string[]> {
  const { rows } = (await db.execute(sql`${lines} order by line`)) as unknown as { rows: { line: string }[] }
  return rows.map(({ line }) => line)
}

/** Compares all lines in the database at once, which costs less than reading them. */
async function digestOf(db: Db): Promise<string | undefined> {
  const query = sql`select md5(string_agg(line, E'\n' order by line)) as digest from (${lines}) as lines`
  const { rows } = (await db.execute(query)) as unknown as { rows: { digest: string }[] }
  return rows[0]?.digest
}

/** Returns the differences of a schema with the remedy; undefined if there are none. Additional objects are allowed. */
export function differenceBetween(expected: readonly string[], found: readonly string[]): string | undefined {
  const present = new Set(found)
  const missing = expected.filter((line) => !present.has(line))
  if (missing.length > 0) {
    return `The database lacks ${missing.length} of the ${expected.length} objects of this version's schema, such as ${someOf(missing)}. ${restoreAgain}`
  }
  const known = new Set(expected)
  const policies = found.filter((line) => line.startsWith('permissive policy ') && !known.has(line))
  if (policies.length === 0) return undefined
  return `The database has policies that are not Sluice's: ${someOf(policies)}. They can show rows of one organization to another: drop them.`
}

const restoreAgain =
  'If a restore did not finish, restore the backup into an empty database: pg_restore --single-transaction (docs/how-to/back-up.md).'

/** Returns the first line of each type of object, because the types show what happened. */
function someOf(lines: readonly string[]): string {
  const firstOfKind = new Map(lines.toReversed().map((line) => [line.split(' ')[0], line]))
  return [...firstOfKind.values()].toReversed().join(', ')
}
