import { LRUCache } from 'lru-cache'
import type pg from 'pg'
import { connectFitting } from './connections/free-connections.ts'
import { sql } from './drizzle.ts'
import type { Db } from './open.ts'

/**
 * The second wall between organizations. Every row of theirs is under a row-level policy that compares it with the
 * setting below; the role that requests act in owns nothing and cannot bypass policies. A query that forgets its
 * organization therefore finds nothing of another.
 */
const role = 'sluice_tenant'
const setting = 'sluice.organization_id'
const hiddenSetting = 'sluice.hidden_places'

/**
 * What a database handle shows: the rows of one organization, without those of the projects and environments that are
 * hidden from whom it is for. Policies compare with both; work that is nobody's in particular has nothing hidden.
 */
export type Sight = { role: typeof role | 'none'; organizationId: string; hidden: string }

/** The sight of the one who owns the tables, for whom no policies count. */
export const everything: Sight = { role: 'none', organizationId: '', hidden: '' }

/** Ids as the policies read them: an array of the database, empty where nothing is hidden. */
export const sightOf = (organizationId: string, hidden: ReadonlySet<string> = new Set()): Sight => ({
  role,
  organizationId,
  hidden: hidden.size === 0 ? '' : `{${[...hidden].toSorted().join(',')}}`,
})

export const keyOf = (sight: Sight): string => `${sight.role} ${sight.organizationId} ${sight.hidden}`

/** With these, a connection acts in the tenants' role from its start. */
export const tenantSession = { role }

const setSight = {
  name: 'set_sight',
  text: `select set_config('role', $1, false), set_config('${setting}', $2, false), set_config('${hiddenSetting}', $3, false)`,
}

/** What a connection is set to show, so that it is only set again for something else. */
const current = new WeakMap<pg.PoolClient, string>()

/** Waits for a turn to use a connection. The caller must call the returned function to end it. */
export type TakeTurn = () => Promise<() => void>

/**
 * A pool whose connections show what they should to whom they are given, when their turn comes. (Its name must contain
 * "Pool": drizzle asks for connections by it.)
 */
export class PoolWithSight {
  readonly #pool: pg.Pool
  readonly #sight: Sight
  readonly #key: string
  readonly #takeTurn: TakeTurn
  readonly #isSet = (client: pg.PoolClient): boolean => current.get(client) === this.#key

  constructor(pool: pg.Pool, sight: Sight, takeTurn: TakeTurn) {
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
      const release = client.release // the pool's own, made anew for each who is given the connection
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
      // A refusal of the server leaves the connection as it was; after anything else it is not used again.
      client.release(!(error instanceof Error && 'severity' in error))
      throw error
    }
  }

  /** What drizzle uses of a pool is here. */
  asPool(): pg.Pool {
    return this as unknown as pg.Pool
  }
}

/** In a transaction that is about several organizations: what `work` does is done as one of them sees it. */
export async function actingFor<T>(tx: Db, organizationId: string, work: () => Promise<T>): Promise<T> {
  await tx.execute(sql`select set_config('sluice.former_role', current_setting('role'), true),
    set_config('role', ${role}, true), set_config(${setting}, ${organizationId}, true)`)
  const result = await work() // where it fails, the transaction does, and its settings end with it
  await tx.execute(
    sql`select set_config('role', current_setting('sluice.former_role'), true), set_config(${setting}, '', true)`,
  )
  return result
}

/** In a transaction of one organization: what `work` does is done in another, which it makes. */
export async function actingIn<T>(tx: Db, organizationId: string, work: () => Promise<T>): Promise<T> {
  const present = sql`select current_setting(${setting}, true) as organization, current_setting(${hiddenSetting}, true) as hidden`
  type Present = { organization: string; hidden: string }
  const { rows } = (await tx.execute(present)) as unknown as { rows: [Present] }
  const act = ({ organization, hidden }: Present) =>
    tx.execute(sql`select set_config(${setting}, ${organization}, true), set_config(${hiddenSetting}, ${hidden}, true)`)
  await act({ organization: organizationId, hidden: '' })
  const result = await work() // where it fails, the transaction does, and its settings end with it
  await act(rows[0])
  return result
}

/**
 * Does what must not depend on who asks as the organization sees it, nothing hidden: what would break if a record were
 * deleted, how much waits already. What it answers is for deciding, not for showing.
 */
export const withNothingHidden = <T>(db: Db, work: (tx: Db) => Promise<T>): Promise<T> =>
  db.transaction(async (tx) => {
    const before = sql`current_setting(${hiddenSetting}, true)`
    const { rows } = (await tx.execute(sql`select ${before} as hidden`)) as unknown as { rows: [{ hidden: string }] }
    await tx.execute(sql`select set_config(${hiddenSetting}, '', true)`)
    const result = await work(tx) // where it fails, the setting goes back with the savepoint
    await tx.execute(sql`select set_config(${hiddenSetting}, ${rows[0].hidden}, true)`)
    return result
  })

/** The same for somebody: where nothing is hidden from them, they see all. */
export const seeingAll = <T>(
  db: Db,
  { hidden }: { hidden: ReadonlySet<string> },
  work: (tx: Db) => Promise<T>,
): Promise<T> => (hidden.size === 0 ? work(db) : withNothingHidden(db, work))

/** Handles that are cached, with the statements that were prepared on them. */
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
