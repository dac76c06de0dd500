import { type AnyPgColumn, and, desc, eq, getTableName, lt, type PgTable, type SQL, sql } from './drizzle.ts'
import type { Db } from './open.ts'
import { rowCounts } from './tables.ts'

/** Bounds of a page: newest first, with IDs below `before`. */
export interface PageBounds {
  limit: number
  before: string | undefined
}

/** Rows of the page and one more, if there is one, and the number of matches on all pages. */
export interface PageRows<Row> {
  rows: Row[]
  totalCount: number
}

/** Returns a page of `table` and the exact number of rows that match `where`, which must name the organization. */
export async function selectPage<T extends PgTable & { id: AnyPgColumn }>(
  db: Db,
  table: T,
  where: SQL | undefined,
  page: PageBounds,
): Promise<PageRows<T['$inferSelect']>> {
  const [rows, totalCount] = await Promise.all([rowsOf(db, table, where, page), db.$count(table, where)])
  return { rows, totalCount }
}

/**
 * Returns a page of a table whose rows of an organization a trigger counts (`keep_count_of`), so that they need not be
 * counted without a filter.
 */
export async function selectCountedPage<T extends PgTable & { id: AnyPgColumn; organizationId: AnyPgColumn }>(
  db: Db,
  table: T,
  organizationId: string,
  filter: SQL | undefined,
  page: PageBounds,
): Promise<PageRows<T['$inferSelect']>> {
  const all = eq(table.organizationId, organizationId)
  if (filter) return selectPage(db, table, and(all, filter), page)
  const [rows, totalCount] = await Promise.all([rowsOf(db, table, all, page), countOf(db, table, organizationId)])
  return { rows, totalCount }
}

function rowsOf<T extends PgTable & { id: AnyPgColumn }>(
  db: Db,
  table: T,
  where: SQL | undefined,
  { limit, before }: PageBounds,
): Promise<T['$inferSelect'][]> {
  return db
    .select()
    .from(table as PgTable)
    .where(and(where, before === undefined ? undefined : lt(table.id, before)))
    .orderBy(desc(table.id))
    .limit(limit + 1)
}

/** Returns the stored count if nothing is hidden from the caller; otherwise counts the visible rows. */
async function countOf<T extends PgTable & { organizationId: AnyPgColumn }>(
  db: Db,
  table: T,
  organizationId: string,
): Promise<number> {
  const isOfTable = and(eq(rowCounts.organizationId, organizationId), eq(rowCounts.tableName, getTableName(table)))
  const kept = sql`select coalesce(sum(${rowCounts.rowCount}), 0) from ${rowCounts} where ${isOfTable}`
  const seen = sql`select count(*) from ${table} where ${eq(table.organizationId, organizationId)}`
  const [total] = await db
    .select({ count: sql`case when hidden_places() = '{}' then (${kept}) else (${seen}) end`.mapWith(Number) })
    .from(sql`(values (1)) as one`)
  return total?.count ?? 0
}
