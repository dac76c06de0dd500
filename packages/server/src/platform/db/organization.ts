import { LRUCache } from 'lru-cache'
import type pg from 'pg'
import { connectFitting } from './connections/free-connections.ts'
import { sql } from './drizzle.ts'
import type { Db } from './open.ts'

/**
 * Role of requests, the second isolation of organizations. A row-level policy compares every row with the setting
 * below. The role owns nothing and cannot bypass policies, so a query without its organization finds no rows of others.
 */
const role = 'sluice_tenant'
const setting = 'sluice.organization_id'
const hiddenSetting = 'sluice.hidden_places'

/**
 * Visible rows of a handle: those of one organization, without hidden projects and environments. Policies compare with
 * both. Work of the service itself has nothing hidden.
 */
export type RowVisibility = { role: typeof role | 'none'; organizationId: string; hidden: string }

/** Sight of the owner of the tables, for whom policies do not apply. */
export const unrestrictedVisibility: RowVisibility = { role: 'none', organizationId: '', hidden: '' }

/** Returns the sight of an organization. `hidden` becomes an array of the database, empty if nothing is hidden. */
export const visibilityOf = (organizationId: string, hidden: ReadonlySet<string> = new Set()): RowVisibility => ({
  role,
  organizationId,
  hidden: hidden.size === 0 ? '' : `{${[...hidden].toSorted().join(',')}}`,
})

export const keyOf = (sight: RowVisibility): string => `${sight.role} ${sight.organizationId} ${sight.hidden}`

/** Settings with which a connection uses the tenants' role from its start. */
export const tenantSession = { role }

const setSight = {
  name: 'set_sight',
  text: `select set_config('role', $1, false), set_config('${setting}', $2, false), set_config('${hiddenSetting}', $3, false)`,
}

/** Current sight of each connection, to avoid setting it again. */
const current = new WeakMap<pg.PoolClient, string>()

/** Waits for a turn to use a connection. The caller must call the returned function to end the turn. */
export type TakeTurn = () => Promise<() => void>

/**
 * Pool whose connections have the sight of their handle. Its name must contain "Pool", by which drizzle recognizes it.
 */
export class OrganizationPool {
  readonly #pool: pg.Pool
  readonly #sight: RowVisibility
  readonly #key: string
  readonly #takeTurn: TakeTurn
  readonly #isSet = (client: pg.PoolClient): boolean => current.get(client) === this.#key

  constructor(pool: pg.Pool, sight: RowVisibility, takeTurn: TakeTurn) {
    this.#pool = pool
    this.#takeTurn = takeTurn
    this.#sight = sight
    this.#key = keyOf(sight)
  }

  async connect(): Promise<pg.PoolClient> {
    const client = await this.#connectInTurn()
    if (this.#isSet(client)) return client
    try {
      current.delete(client)
      const { role, organizationId, hidden } = this.#sight
      await client.query(setSight, [role, organizationId, hidden])
      current.set(client, this.#key)
      return client
    } catch (error) {
      client.release(true)
      throw error
    }
  }

  async #connectInTurn(): Promise<pg.PoolClient> {
    const endTurn = await this.#takeTurn()
    try {
      const client = await connectFitting(this.#pool, this.#isSet)
      const release = client.release // the pool's function, which is new for each use of the connection
      client.release = (error) => {
        endTurn()
        release(error)
      }
      return client
    } catch (error) {
      endTurn()
      throw error
    }
  }

  async query(config: pg.QueryConfig, values?: unknown[]): Promise<pg.QueryResult> {
    const client = await this.connect()
    try {
      const result = await client.query(config, values)
      client.release()
      return result
    } catch (error) {
      // After an error of the server the connection is intact; after any other it is discarded.
      client.release(!(error instanceof Error && 'severity' in error))
      throw error
    }
  }

  /** Returns this as the part of a pool that drizzle uses. */
  asPool(): pg.Pool {
    return this as unknown as pg.Pool
  }
}

/** Runs `work` with the sight of one organization, in a transaction that concerns several. */
export async function runAsOrganization<T>(tx: Db, organizationId: string, work: () => Promise<T>): Promise<T> {
  await tx.execute(sql`select set_config('sluice.former_role', current_setting('role'), true),
    set_config('role', ${role}, true), set_config(${setting}, ${organizationId}, true)`)
  const result = await work() // after a failure the transaction ends, and its settings with it
  await tx.execute(
    sql`select set_config('role', current_setting('sluice.former_role'), true), set_config(${setting}, '', true)`,
  )
  return result
}

/** Runs `work` in another organization, which it creates, in a transaction of one organization. */
export async function runInOtherOrganization<T>(tx: Db, organizationId: string, work: () => Promise<T>): Promise<T> {
  const present = sql`select current_setting(${setting}, true) as organization, current_setting(${hiddenSetting}, true) as hidden`
  type Present = { organization: string; hidden: string }
  const { rows } = (await tx.execute(present)) as unknown as { rows: [Present] }
  const act = ({ organization, hidden }: Present) =>
    tx.execute(sql`select set_config(${setting}, ${organization}, true), set_config(${hiddenSetting}, ${hidden}, true)`)
  await act({ organization: organizationId, hidden: '' })
  const result = await work() // after a failure the transaction ends, and its settings with it
  await act(rows[0])
  return result
}

/**
 * Runs a query that must not depend on the caller with nothing hidden, such as the dependents of a record or the length
 * of a queue. Its result is for decisions, not for display.
 */
export const withAllScopesVisible = <T>(db: Db, work: (tx: Db) => Promise<T>): Promise<T> =>
  db.transaction(async (tx) => {
    const before = sql`current_setting(${hiddenSetting}, true)`
    const { rows } = (await tx.execute(sql`select ${before} as hidden`)) as unknown as { rows: [{ hidden: string }] }
    await tx.execute(sql`select set_config(${hiddenSetting}, '', true)`)
    const result = await work(tx) // after a failure the setting is rolled back with the savepoint
    await tx.execute(sql`select set_config(${hiddenSetting}, ${rows[0].hidden}, true)`)
    return result
  })

/** Runs a query with nothing hidden for a caller, without a savepoint if nothing is hidden from them anyway. */
export const withAllScopesVisibleForCaller = <T>(
  db: Db,
  { hidden }: { hidden: ReadonlySet<string> },
  work: (tx: Db) => Promise<T>,
): Promise<T> => (hidden.size === 0 ? work(db) : withAllScopesVisible(db, work))

/** Maximum number of cached handles, with their prepared statements. */
const maxHandles = 1_000

/** Returns `make` with its results cached by name. */
export function cached<Key, T extends object>(nameOf: (key: Key) => string, make: (key: Key) => T): (key: Key) => T {
  const handles = new LRUCache<string, T>({ max: maxHandles })
  return (key) => {
    const name = nameOf(key)
    const handle = handles.get(name) ?? make(key)
    handles.set(name, handle)
    return handle
  }
}
