import { type SQL, sql } from './drizzle.ts'
import type { Db } from './open.ts'

/** Copied table with its number of rows. */
export type CopiedTable = { name: string; rows: number }

type CopyWishes = {
  /** Tables that are not copied. */
  leftOut?: readonly string[]
  /** Adjusts the copy, for values that mean something else there. */
  mend?: (target: Db) => Promise<void>
  onTable?: (table: CopiedTable) => void
}

/**
 * Copies every table to an empty database with the same schema, and compares both. Runs in one transaction there, so
 * that a failure leaves no row. Triggers of the target are disabled, because their rows are copied too. Foreign keys
 * are checked at the end, since tables and rows refer to each other in cycles.
 */
export async function copyDatabase(
  from: Db,
  to: Db,
  { leftOut = [], mend = async () => {}, onTable = () => {} }: CopyWishes = {},
): Promise<void> {
  await from.transaction((source) =>
    to.transaction(async (target) => {
      for (const db of [source, target]) await writeAlike(db)
      const tables = await alikeTables(source, target)
      await target.execute(sql`lock table ${sql.join(tables.map(nameOf), sql`, `)} in access exclusive mode`)
      await expectEmpty(target)
      const wake = await putToRest(target, tables)
      for (const table of tables.filter(({ name }) => !leftOut.includes(name))) {
        onTable({ name: table.name, rows: await copyTable(source, target, table) })
      }
      await copySequences(source, target)
      await mend(target)
      await wake()
    }),
  )
  await to.execute(sql`analyze`) // otherwise statements are planned for empty tables until the next autovacuum
}

type Table = { name: string; columns: string }

const nameOf = ({ name }: Table): SQL => sql`public.${sql.identifier(name)}`

/** Sets the output formats of a session, because rows are compared as text. */
async function writeAlike(db: Db): Promise<void> {
  const settings = {
    timezone: 'UTC',
    datestyle: 'ISO, YMD',
    intervalstyle: 'postgres',
    bytea_output: 'hex',
    extra_float_digits: '1',
    statement_timeout: '0',
    idle_in_transaction_session_timeout: '0',
  }
  for (const [name, value] of Object.entries(settings)) {
    await db.execute(sql`select set_config(${name}, ${value}, true)`)
  }
}

async function listTables(db: Db): Promise<Table[]> {
  return rowsOf<Table>(
    db,
    sql`select relname::text as name,
          string_agg(attname || ' ' || format_type(atttypid, atttypmod), ', ' order by attnum) as columns
        from pg_class join pg_attribute on attrelid = pg_class.oid and attnum > 0 and not attisdropped
        where relnamespace = 'public'::regnamespace and relkind = 'r' group by relname order by relname`,
  )
}

/** Returns the tables after checking that both databases have the same columns in the same order. */
async function alikeTables(source: Db, target: Db): Promise<Table[]> {
  const [here, there] = [await listTables(source), await listTables(target)]
  const known = new Map(there.map(({ name, columns }) => [name, columns]))
  const strange = here.find(({ name, columns }) => known.get(name) !== columns)
  if (strange) throw new Error(`The table ${strange.name} is another one in the database to move to. ${remedy}`)
  return here
}

const remedy = 'Make a new database, and name that one.'

/** Throws if any table has a row. */
export async function expectEmpty(db: Db): Promise<void> {
  for (const table of await listTables(db)) {
    const [found] = await rowsOf(db, sql`select 1 from ${nameOf(table)} limit 1`)
    if (found) throw new Error(`The database to move to is not empty: ${table.name} has rows. ${remedy}`)
  }
}

/** Disables triggers and defers foreign keys of the target. Returns a function that enables them again. */
async function putToRest(target: Db, tables: readonly Table[]): Promise<() => Promise<void>> {
  const keys = await rowsOf<{ on: string; name: string }>(
    target,
    sql`select conrelid::regclass::text as on, quote_ident(conname) as name from pg_constraint
        where contype = 'f' and connamespace = 'public'::regnamespace and not condeferrable`,
  )
  const alterKeys = async (how: string) => {
    for (const key of keys) await target.execute(sql.raw(`alter table ${key.on} alter constraint ${key.name} ${how}`))
  }
  for (const table of tables) await target.execute(sql`alter table ${nameOf(table)} disable trigger user`)
  await alterKeys('deferrable initially deferred')
  return async () => {
    await target.execute(sql`set constraints all immediate`)
    await alterKeys('not deferrable')
    for (const table of tables) await target.execute(sql`alter table ${nameOf(table)} enable trigger user`)
  }
}

/** Maximum size of rows in memory at a time, in bytes, if all were as long as the longest. */
const batchBytes = 8 * 1024 * 1024

async function copyTable(source: Db, target: Db, table: Table): Promise<number> {
  const name = nameOf(table)
  const { rows, longest, sum } = await summaryOf(source, table)
  const batch = Math.min(1_000, Math.max(1, Math.floor(batchBytes / Math.max(1, longest))))
  await source.execute(sql`declare moved no scroll cursor for select moved_row::text as row from ${name} moved_row`)
  for (;;) {
    const found = await rowsOf<{ row: string }>(source, sql`fetch forward ${sql.raw(String(batch))} from moved`)
    if (found.length === 0) break
    const texts = sql.param(found.map(({ row }) => row))
    // `offset 0` makes the server parse each text once, and not for each column.
    await target.execute(sql`insert into ${name} overriding system value select (one.made).* from
      (select given::${name} as made from unnest(${texts}::text[]) as given offset 0) as one`)
  }
  await source.execute(sql`close moved`)
  const made = await summaryOf(target, table)
  if (made.rows !== rows || made.sum !== sum) {
    throw new Error(
      `The copy of ${table.name} is not what was copied: ${made.rows} rows of ${rows}. Nothing was moved.`,
    )
  }
  return rows
}

/** Returns the number of rows, the length of the longest as text, and an order-independent sum of hashes. */
async function summaryOf(db: Db, table: Table): Promise<{ rows: number; longest: number; sum: string }> {
  const [summary] = await rowsOf<{ rows: string; longest: number; sum: string }>(
    db,
    sql`select count(*)::text as rows, coalesce(max(octet_length(text)), 0) as longest,
          coalesce(sum(('x' || left(md5(text), 15))::bit(60)::bigint), 0)::text as sum
        from (select moved_row::text as text from ${nameOf(table)} moved_row) as texts`,
  )
  if (!summary) throw new Error('a count without a GROUP BY has one row')
  return { ...summary, rows: Number(summary.rows) }
}

async function copySequences(source: Db, target: Db): Promise<void> {
  const sequences = await rowsOf<{ name: string; last: string }>(
    source,
    sql`select format('public.%I', sequencename) as name, last_value::text as last from pg_sequences
        where schemaname = 'public' and last_value is not null`,
  )
  for (const { name, last } of sequences) {
    await target.execute(sql`select setval(${name}::regclass, ${last}::bigint)`)
  }
}

async function rowsOf<Row>(db: Db, statement: SQL): Promise<Row[]> {
  return ((await db.execute(statement)) as unknown as { rows: Row[] }).rows
}
