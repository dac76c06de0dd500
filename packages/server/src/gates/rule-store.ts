import { type AnyPgColumn, and, asc, eq, gt, type PgTable, type SQL, sql } from '../platform/db/drizzle.ts'
import type { Db } from '../platform/db/open.ts'
import { type PageBounds, type PageRows, selectPage } from '../platform/db/page.ts'
import { type IdPrefix, newId } from '../platform/ids.ts'

type Named = { id: AnyPgColumn; organizationId: AnyPgColumn }
type Scoped = Named & { projectId: AnyPgColumn; environmentId: AnyPgColumn; moduleInstanceId?: AnyPgColumn }
type Row<T extends PgTable> = T['$inferSelect']
type NewRow<T extends PgTable> = Omit<T['$inferInsert'], 'id'>
type Changes<T extends PgTable> = { [name in keyof T['$inferInsert']]?: T['$inferInsert'][name] | SQL | undefined }
type ScopeFilter = { projectId?: string; environmentId?: string; moduleInstanceId?: string }

/** Returns the queries that all types of rules with a scope share. `what` names one in errors. */
export function ruleStore<T extends PgTable & Scoped>(table: T, what: string, prefix: IdPrefix) {
  const rows: PgTable = table // Drizzle does not know the columns of a table that is a parameter
  const one = (organizationId: string, id: string) => and(eq(table.organizationId, organizationId), eq(table.id, id))
  const count = (db: Db, organizationId: string): Promise<number> =>
    db.$count(table, eq(table.organizationId, organizationId))

  const all = async (db: Db, organizationId: string): Promise<Row<T>[]> =>
    db.select().from(rows).where(eq(table.organizationId, organizationId)).orderBy(asc(table.id))

  function list(
    db: Db,
    organizationId: string,
    { projectId, environmentId, moduleInstanceId }: ScopeFilter,
    page: PageBounds,
    filter?: SQL,
  ): Promise<PageRows<Row<T>>> {
    const where = and(
      eq(table.organizationId, organizationId),
      projectId === undefined ? undefined : eq(table.projectId, projectId),
      environmentId === undefined ? undefined : eq(table.environmentId, environmentId),
      table.moduleInstanceId && moduleInstanceId !== undefined
        ? eq(table.moduleInstanceId, moduleInstanceId)
        : undefined,
      filter,
    )
    return selectPage(db, table, where, page)
  }

  async function find(db: Db, organizationId: string, id: string): Promise<Row<T> | undefined> {
    const [row] = await db.select().from(rows).where(one(organizationId, id))
    return row as Row<T> | undefined
  }

  /** Loads a rule and locks it until the end of the transaction. */
  async function lock(tx: Db, organizationId: string, id: string): Promise<Row<T> | undefined> {
    const [row] = await tx.select().from(rows).where(one(organizationId, id)).for('update')
    return row as Row<T> | undefined
  }

  /** Updates a locked rule. */
  async function update(tx: Db, id: string, changes: Changes<T>): Promise<Row<T>> {
    const set = { ...(changes as object), updatedAt: sql`now()` }
    const [row] = await tx.update(rows).set(set).where(eq(table.id, id)).returning()
    if (!row) throw new Error(`the ${what} ${id} was locked and is gone`)
    return row as Row<T>
  }

  async function remove(tx: Db, organizationId: string, id: string): Promise<Row<T> | undefined> {
    const [row] = await tx.delete(rows).where(one(organizationId, id)).returning()
    return row as Row<T> | undefined
  }

  return { count, all, list, find, lock, insert: inserting(table, what, prefix), update, remove }
}

/** Returns the queries for overrides, each of which suspends one rule for a while. */
export function overrideStore<T extends PgTable & Named & { until: AnyPgColumn }>(
  table: T,
  ruleId: AnyPgColumn,
  prefix: IdPrefix,
) {
  const rows: PgTable = table
  const isOf = (organizationId: string) => eq(table.organizationId, organizationId)
  return {
    insert: inserting(table, 'override', prefix),
    inForce: async (db: Db, organizationId: string, now: Date): Promise<Row<T>[]> =>
      db
        .select()
        .from(rows)
        .where(and(isOf(organizationId), gt(table.until, now)))
        .orderBy(asc(table.id)),
    list: (db: Db, rule: { organizationId: string; id: string }, page: PageBounds): Promise<PageRows<Row<T>>> =>
      selectPage(db, table, and(isOf(rule.organizationId), eq(ruleId, rule.id)), page),
  }
}

const inserting =
  <T extends PgTable>(table: T, what: string, prefix: IdPrefix) =>
  async (tx: Db, row: NewRow<T>): Promise<Row<T>> => {
    const rows: PgTable = table
    const [inserted] = await tx
      .insert(rows)
      .values({ id: newId(prefix), ...(row as object) })
      .returning()
    if (!inserted) throw new Error(`the ${what} was not inserted`)
    return inserted as Row<T>
  }
