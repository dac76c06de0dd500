import { LRUCache } from 'lru-cache'
import { Turns } from './connections/turns.ts'
import { type AnyPgColumn, eq, type PgTable } from './drizzle.ts'
import type { Database, Db } from './open.ts'
import { cached } from './organization.ts'

/** A table of records that organizations own. */
type OwnedTable = PgTable & { id: AnyPgColumn; organizationId: AnyPgColumn }

/** Finds what work on a record needs, with the database as the organization of the record sees it. */
export type PartsOf<Parts> = (id: string) => Promise<Parts | undefined>

/**
 * Works on a record with these parts, when the turn of its organization comes; not at all if the record is gone. Throws
 * `TurnTimeout` if the turn does not come.
 */
export type WorkOn<Parts> = <T>(id: string, work: (parts: Parts) => Promise<T>) => Promise<T | undefined>

/**
 * So many handlers of an organization work at a time in a process, of each kind of record: twice as many as it has
 * connections by default, as half of their time goes to the cloud. The engine calls hundreds at once. Those beyond wait
 * before they ask for anything: one that waited for a connection would fail after 10 s, and be called again.
 */
const maxConcurrentHandlers = 20
/** Half of what the engine lets a call be silent. Real milliseconds. */
const maxTurnWaitMs = 30_000

/** Records whose organization is cached: it never changes, and a record is asked for several times. */
const maxRecords = 10_000

export type Ownership = ReturnType<typeof ownership>

/**
 * For handlers, who are told an id and nothing else: whose record it is, is all that they ask across organizations.
 * From there on they act in the tenants' role.
 */
export function ownership({ db, ofOrganization }: Pick<Database, 'db' | 'ofOrganization'>) {
  const owners = new LRUCache<string, string>({ max: maxRecords })
  async function ownerOf(table: OwnedTable, id: string): Promise<string | undefined> {
    const known = owners.get(id)
    if (known !== undefined) return known
    const [row] = await db
      .select({ organizationId: table.organizationId })
      .from(table as PgTable)
      .where(eq(table.id, id))
    if (!row) return undefined
    const organizationId = String(row.organizationId)
    owners.set(id, organizationId)
    return organizationId
  }

  return {
    partsOf:
      <Parts>(table: OwnedTable, parts: Parts): PartsOf<Parts & { db: Db }> =>
      async (id) => {
        const organizationId = await ownerOf(table, id)
        return organizationId === undefined ? undefined : { ...parts, db: ofOrganization(organizationId) }
      },
    workOn<Parts>(table: OwnedTable, parts: Parts): WorkOn<Parts & { db: Db }> {
      const turnsOf = cached(
        (organizationId: string) => organizationId,
        () => new Turns(maxConcurrentHandlers, maxTurnWaitMs),
      )
      return async (id, work) => {
        const organizationId = await ownerOf(table, id)
        if (organizationId === undefined) return undefined
        return turnsOf(organizationId).inTurn(() => work({ ...parts, db: ofOrganization(organizationId) }))
      }
    },
  }
}
