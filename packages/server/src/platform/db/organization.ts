import type { PGlite, QueryOptions, Transaction } from '@electric-sql/pglite'
import type pg from 'pg'
import { sql } from './drizzle.ts'
import type { Db } from './open.ts'
import { Turns } from './turns.ts'

/**
 * The second wall between organizations. Every row of theirs is under a row-level policy that compares it with the
 * setting below; the role that requests act in owns nothing and cannot bypass policies. A query that forgets its
 * organization therefore finds nothing of another.
 */
const role = 'sluice_tenant'
const setting = 'sluice.organization_id'

/** Connections that act in the tenants' role from their start. */
export const tenantPoolConfig = { options: `-c role=${role}` } satisfies pg.PoolConfig

/** The organization that a connection is set to, so that it is only set again for another one. */
const current = new WeakMap<pg.PoolClient, string>()

/** As long as a pool has whoever asks it wait for a connection. */
const mostWaitMs = 10_000

/**
 * A pool whose connections see one organization, which has at most half of them at a time: what one asks for, however
 * slow, leaves others something to ask with. (Its name must contain "Pool": drizzle asks for connections by it.)
 */
export class PoolOfOrganization {
  readonly #pool: pg.Pool
  readonly #organizationId: string
  readonly #turns: Turns

  constructor(pool: pg.Pool, organizationId: string) {
    this.#pool = pool
    this.#turns = new Turns(Math.ceil(pool.options.max / 2), mostWaitMs)
    this.#organizationId = organizationId
  }

  async connect(): Promise<pg.PoolClient> {
    const client = await this.#connectInTurn()
    if (current.get(client) === this.#organizationId) return client
    try {
      current.delete(client)
      await client.query('select set_config($1, $2, false)', [setting, this.#organizationId])
      current.set(client, this.#organizationId)
      return client
    } catch (error) {
      client.release(true)
      throw error
    }
  }

  async #connectInTurn(): Promise<pg.PoolClient> {
    await this.#turns.take()
    try {
      const client = await this.#pool.connect()
      const release = client.release // the pool's own, made anew for each who is given the connection
      client.release = (error) => {
        this.#turns.giveBack()
        release(error)
      }
      return client
    } catch (error) {
      this.#turns.giveBack()
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

/** The embedded database as one organization sees it: one connection serves all, so each statement is a transaction. */
export class PgliteOfOrganization {
  readonly #client: PGlite
  readonly #organizationId: string

  constructor(client: PGlite, organizationId: string) {
    this.#client = client
    this.#organizationId = organizationId
  }

  query(statement: string, params?: unknown[], options?: QueryOptions) {
    return this.transaction((tx) => tx.query(statement, params as never[], options))
  }

  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    return this.#client.transaction(async (tx) => {
      const settings = `select set_config('role', $1, true), set_config($2, $3, true)`
      await tx.query(settings, [role, setting, this.#organizationId])
      return work(tx)
    }) as Promise<T>
  }

  /** What drizzle uses of a PGlite is here. */
  asPglite(): PGlite {
    return this as unknown as PGlite
  }
}

/** In a transaction that is about several organizations: what `work` does is done as one of them sees it. */
export async function actingFor<T>(tx: Db, organizationId: string, work: () => Promise<T>): Promise<T> {
  await tx.execute(sql`select set_config('role', ${role}, true), set_config(${setting}, ${organizationId}, true)`)
  const result = await work() // where it fails, the transaction does, and its settings end with it
  await tx.execute(sql`select set_config('role', 'none', true), set_config(${setting}, '', true)`)
  return result
}

/** Organizations whose handle is kept, with the statements that were prepared on it. */
const mostRemembered = 1_000

export function remembered<T>(make: (organizationId: string) => T): (organizationId: string) => T {
  const kept = new Map<string, T>()
  return (organizationId) => {
    const known = kept.get(organizationId)
    if (known !== undefined) return known
    const [oldest] = kept.keys()
    if (kept.size >= mostRemembered && oldest !== undefined) kept.delete(oldest)
    const made = make(organizationId)
    kept.set(organizationId, made)
    return made
  }
}
