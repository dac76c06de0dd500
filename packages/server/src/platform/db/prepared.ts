import { type Column, getTableColumns, type PgTable, type SQL, sql } from './drizzle.ts'
import type { Db } from './open.ts'

/**
 * A statement that is built once per database, and for transactions once per connection, instead of once per call.
 * Building a select by id costs more than all the rest of its request: prepared, such a route answered about twice as
 * many requests per second (measured on PostgreSQL 15). Worth it where a route is hot; elsewhere write the query in
 * place.
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
 * Placeholders for columns that a prepared statement sets, by their names in code. Drizzle's own would turn null into
 * what a column makes of it, such as the JSON null; the values of these are made by `columnValues`.
 */
export const columnSlots = <Name extends string>(names: readonly Name[]): Record<Name, SQL> =>
  Object.fromEntries(names.map((name) => [name, sql`${sql.placeholder(name)}`])) as Record<Name, SQL>

/**
 * Placeholders for all columns of a table in a select whose rows are inserted: there, the database does not know the
 * types from the table. Their names begin with `prefix`, where one statement inserts into several tables.
 */
export const typedSlots = <T extends PgTable>(table: T, prefix = ''): Record<keyof T['$inferSelect'] & string, SQL> =>
  Object.fromEntries(
    Object.entries<Column>(getTableColumns(table)).map(([name, column]) => [
      name,
      sql`${sql.placeholder(`${prefix}${name}`)}::${sql.raw(column.getSQLType())}`,
    ]),
  ) as Record<keyof T['$inferSelect'] & string, SQL>

/** What the driver is given for columns of a table. */
export function columnValues<T extends PgTable, Name extends string & keyof T['$inferSelect']>(
  table: T,
  names: readonly Name[],
  values: Pick<T['$inferSelect'], Name>,
): Record<Name, unknown> {
  const columns: Record<string, Column> = getTableColumns(table)
  const driverValue = (name: Name) => (values[name] === null ? null : columns[name]?.mapToDriverValue(values[name]))
  return Object.fromEntries(names.map((name) => [name, driverValue(name)])) as Record<Name, unknown>
}
