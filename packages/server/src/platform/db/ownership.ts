import { type AnyPgColumn, eq, type PgTable } from './drizzle.ts'
import type { Database, Db } from './open.ts'

/** A table of records that organizations own. */
type OwnedTable = PgTable & { id: AnyPgColumn; organizationId: AnyPgColumn }

/** What a handler works with on one record: its parts, with the database as the organization of the record sees it. */
export type PartsOf<Parts> = (id: string) => Promise<Parts | undefined>

/** Records whose organization is remembered: it never changes, and a record is asked for several times. */
const mostRemembered = 10_000

/**
 * For handlers, who are told an id and nothing else: whose record it is, is all that they ask across organizations.
 * From there on they act in the tenants' role.
 */
export function ownership({ db, ofOrganization }: Pick<Database, 'db' | 'ofOrganization'>) {
  const known = new Map<string, string>()

  async function ownerOf(table: OwnedTable, id: string): Promise<string | undefined> {
    const remembered = known.get(id)
    if (remembered !== undefined) return remembered
    const [row] = await db
      .select({ organizationId: table.organizationId })
      .from(table as PgTable)
      .where(eq(table.id, id))
    if (!row) return undefined
    const [oldest] = known.keys()
    if (known.size >= mostRemembered && oldest !== undefined) known.delete(oldest)
    const organizationId = String(row.organizationId)
    known.set(id, organizationId)
    return organizationId
  }

  return <Parts>(table: OwnedTable, parts: Parts): PartsOf<Parts & { db: Db }> =>
    async (id) => {
      const organizationId = await ownerOf(table, id)
      return organizationId === undefined ? undefined : { ...parts, db: ofOrganization(organizationId) }
    }
}
