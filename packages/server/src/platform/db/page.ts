import { type AnyPgColumn, and, desc, eq, getTableName, lt, type PgTable, type SQL, sql } from './drizzle.ts'
import type { Db } from './open.ts'
import { rowCounts } from './tables.ts'

/** What a store needs to know to fetch a page: newest first, so the page's ids are all below `before`. */
export interface PageBounds {
  limit: number
  before: string | undefined
}

/** What a store found: the rows of the page and one more, if there is one; and how many match on all pages. */
export interface PageRows<Row> {
  rows: Row[]
  totalCount: number
}

/** The rows of a page of `table` and the exact count of all that match `where`, which must name the organization. */
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
 * The same for an organization's rows of a table that grows without end, which a migration gave a count
 * (`keep_count_of`): without a filter, they are not counted anew.
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

/** The kept count, where nothing is hidden from whoever asks; else what they see is counted. */
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
