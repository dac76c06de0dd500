import { realpath } from 'node:fs/promises'
import { Duplex } from 'node:stream'
import { PGlite } from '@electric-sql/pglite'
import pg from 'pg'
import { queueQueries } from './connections/query-queue.ts'
import { cacheStatementDescriptions } from './named-statements.ts'

/**
 * PostgreSQL zeroes its buffers at the start, and needs that memory from then on. The default of 128 MB suits servers;
 * the data here is smaller, and the system caches the rest.
 */
const buffers = 'shared_buffers=32MB'
/** Statistics of 9,000 rows of a table: the 30,000 of a server would use memory that is never returned. */
const statistics = 'default_statistics_target=30'
const startParams = [...PGlite.defaultStartParams, '-c', buffers, '-c', statistics]

/**
 * Opens the embedded database through a PostgreSQL client, which sends a statement with its parameters in one message,
 * and reuses named statements. PGlite's own interface needs five messages: with this, a select takes half the processor
 * time, a transaction too, and a named select a tenth (PGlite 0.5.16). There is one connection, for which callers wait
 * in their order.
 */
export async function openEmbeddedPool(location: {
  directory: string
}): Promise<{ pool: pg.Pool; close: () => Promise<void> }> {
  const database = await openPglite(location)
  const pool = new pg.Pool({
    max: 1,
    idleTimeoutMillis: 0,
    user: 'postgres',
    ssl: false, // ignores PGSSLMODE
    stream: () => new EmbeddedConnection(database),
  })
  pool.on('error', () => {}) // like with a server: the statement fails, not the process
  pool.on('connect', (client) => client.on('error', () => {}))
  pool.on('connect', cacheStatementDescriptions)
  pool.on('connect', queueQueries)
  const close = async () => {
    await pool.end()
    await database.close()
  }
  return { pool, close }
}

/** Opens PGlite. Replaces its message about files that are no database, which helps no one. */
async function openPglite(location: { directory: string }): Promise<PGlite> {
  // It does not follow links, such as to another disk.
  return PGlite.create(await realpath(location.directory), { startParams }).catch((cause: Error) => {
    const remedy = 'Restore a copy that was made while the service was stopped, or start over: sluice reset.'
    throw new Error(`The database in ${location.directory} cannot be opened: ${cause.message}. ${remedy}`, { cause })
  })
}

/** Socket of a PostgreSQL client whose messages go to the database in this process. */
class EmbeddedConnection extends Duplex {
  readonly #database: PGlite

  constructor(database: PGlite) {
    super()
    this.#database = database
  }

  /** Resets the only session, whatever the previous connection left. */
  connect(): this {
    void this.#begin().then(
      () => this.emit('connect'),
      (error) => this.destroy(error),
    )
    return this
  }

  setNoDelay(): this {
    return this
  }

  setKeepAlive(): this {
    return this
  }

  ref(): this {
    return this
  }

  unref(): this {
    return this
  }

  override _read(): void {} // output is pushed at once

  override _write(message: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#say(message).then(() => done(), done)
  }

  override _writev(messages: { chunk: Buffer }[], done: (error?: Error | null) => void): void {
    this.#say(Buffer.concat(messages.map(({ chunk }) => chunk))).then(() => done(), done)
  }

  override _final(done: (error?: Error | null) => void): void {
    this.push(null)
    done()
  }

  async #begin(): Promise<void> {
    await this.#database.exec('rollback')
    await this.#database.exec('discard all')
  }

  async #say(message: Buffer): Promise<void> {
    const { buffer, byteOffset, byteLength } = await this.#database.execProtocolRaw(message)
    if (byteLength > 0) this.push(Buffer.from(buffer, byteOffset, byteLength))
  }
}
