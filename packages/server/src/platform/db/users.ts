import type { AnyPgColumn, PgTable, SQL } from './drizzle.ts'
import type { Db } from './open.ts'
import { withNothingHidden } from './organization.ts'

/** Rows that keep another row from being deleted; `where` must name the organization. */
export interface Users {
  /** What such a row is, for people. */
  what: string
  table: PgTable & { id: AnyPgColumn; givenId?: AnyPgColumn }
  where: SQL | undefined
}

/** Finds what keeps a row from being deleted; what does stands above it, and so is handed in. */
export type FindUsers = (tx: Db, organizationId: string, id: string) => Promise<string[]>

const mostLines = 20

/**
 * What uses a row that is to be deleted: up to 20 lines such as `module instance web (mi_…)`. What whoever deletes it
 * does not see keeps it as well, and is not told more of.
 */
export async function linesOf(tx: Db, all: Users[]): Promise<string[]> {
  const lines = await linesSeen(tx, all)
  if (lines.length > 0) return lines
  const hidden = await withNothingHidden(tx, (unhidden) => linesSeen(unhidden, all))
  return hidden.length > 0 ? ['something that you do not see'] : []
}

async function linesSeen(tx: Db, all: Users[]): Promise<string[]> {
  const lines: string[] = []
  for (const { what, table, where } of all) {
    if (lines.length === mostLines) break
    const { id, givenId = id } = table
    const rows = await tx
      .select({ id, givenId })
      .from(table as PgTable)
      .where(where)
      .orderBy(id)
      .limit(mostLines - lines.length)
    lines.push(...rows.map((row) => `${what} ${row.givenId === row.id ? row.id : `${row.givenId} (${row.id})`}`))
  }
  return lines
}
