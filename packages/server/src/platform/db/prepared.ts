import { type Column, getTableColumns, type PgTable, type SQL, sql } from './drizzle.ts'
import type { Db } from './open.ts'

/**
 * Returns a statement that is built once per database, and for transactions once per connection. Building a select by
 * ID costs more than the rest of its request: prepared, such a route answers about twice as many requests per second
 * (PostgreSQL 15). Use it for hot routes only.
 */
export function prepared<Statement>(build: (db: Db) => Statement): (db: Db) => Statement {
  const statements = new WeakMap<Db, Statement>()
  return (db) => {
    const known = statements.get(db)
    if (known) return known
    const statement = build(db)
    statements.set(db, statement)
    return statement
  }
}

/**
 * Returns placeholders for columns that a prepared statement sets, by their names in code. Drizzle's own placeholders
 * would convert null by the column, for example into the JSON null; `columnValues` converts the values of these.
 */
export const columnSlots = <Name extends string>(names: readonly Name[]): Record<Name, SQL> =>
  Object.fromEntries(names.map((name) => [name, sql`${sql.placeholder(name)}`])) as Record<Name, SQL>

/**
 * Returns typed placeholders for all columns of a table, for a select whose rows are inserted, where the database does
 * not infer the types. `prefix` distinguishes several tables.
 */
export const typedSlots = <T extends PgTable>(table: T, prefix = ''): Record<keyof T['$inferSelect'] & string, SQL> =>
  Object.fromEntries(
    Object.entries<Column>(getTableColumns(table)).map(([name, column]) => [
      name,
      sql`${sql.placeholder(`${prefix}${name}`)}::${sql.raw(column.getSQLType())}`,
    ]),
  ) as Record<keyof T['$inferSelect'] & string, SQL>

/** Returns the driver's values for columns of a table. */
export function columnValues<T extends PgTable, Name extends string & keyof T['$inferSelect']>(
  table: T,
  names: readonly Name[],
  values: Pick<T['$inferSelect'], Name>,
): Record<Name, unknown> {
  const columns: Record<string, Column> = getTableColumns(table)
  const driverValue = (name: Name) => (values[name] === null ? null : columns[name]?.mapToDriverValue(values[name]))
  return Object.fromEntries(names.map((name) => [name, driverValue(name)])) as Record<Name, unknown>
}
