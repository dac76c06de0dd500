import { and, desc, lt, type SQL } from 'drizzle-orm'
import type { AnyPgColumn, PgTable } from 'drizzle-orm/pg-core'
import type { Db } from './open.ts'

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
  { limit, before }: PageBounds,
): Promise<PageRows<T['$inferSelect']>> {
  const [rows, totalCount] = await Promise.all([
    db
      .select()
      .from(table as PgTable)
      .where(and(where, before === undefined ? undefined : lt(table.id, before)))
      .orderBy(desc(table.id))
      .limit(limit + 1),
    db.$count(table, where),
  ])
  return { rows, totalCount }
}
