import { LRUCache } from 'lru-cache'
import { ConcurrencyLimiter } from './connections/turns.ts'
import { type AnyPgColumn, eq, type PgTable } from './drizzle.ts'
import type { Database, Db } from './open.ts'
import { cached } from './organization.ts'

/** Table of records that organizations own. */
type OwnedTable = PgTable & { id: AnyPgColumn; organizationId: AnyPgColumn }

/**
 * Returns the parts for work on a record, with the database as its organization sees it; undefined if the record is
 * gone.
 */
export type PartsOf<Parts> = (id: string) => Promise<Parts | undefined>

/**
 * Runs work on a record when the turn of its organization comes; not at all if the record is gone. Throws `TurnTimeout`
 * if the turn does not come.
 */
export type WorkOn<Parts> = <T>(id: string, work: (parts: Parts) => Promise<T>) => Promise<T | undefined>

/**
 * Maximum number of concurrent handlers of an organization in a process, for each type of record: twice its
 * connections, as half of the time goes to the cloud. The engine calls hundreds at once. The others wait before their
 * first statement, which would fail after 10 s.
 */
const maxConcurrentHandlers = 20
/** Maximum wait for a turn in real milliseconds, half of the time that the engine tolerates silence. */
const maxTurnWaitMs = 30_000

/** Maximum number of cached owners, which never change. */
const maxRecords = 10_000

export type Ownership = ReturnType<typeof ownership>

/**
 * Functions for handlers, which receive only the ID of a record. They look up its organization across organizations,
 * and use the tenants' role for everything else.
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
        () => new ConcurrencyLimiter(maxConcurrentHandlers, maxTurnWaitMs),
      )
      return async (id, work) => {
        const organizationId = await ownerOf(table, id)
        if (organizationId === undefined) return undefined
        return turnsOf(organizationId).inTurn(() => work({ ...parts, db: ofOrganization(organizationId) }))
      }
    },
  }
}
