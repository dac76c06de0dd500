import { realpath } from 'node:fs/promises'
import { Duplex } from 'node:stream'
import { PGlite } from '@electric-sql/pglite'
import pg from 'pg'
import { queueQueries } from './connections/query-queue.ts'
import { knowingStatements } from './named-statements.ts'

/**
 * It writes zeros into all of its buffers when it starts, and so needs that memory from then on. The 128 MB that it has
 * by itself are those of a server; what is read often is far less here, and the rest is in the cache of the system.
 */
const buffers = 'shared_buffers=32MB'
/** Its statistics are of 9,000 rows of a table: the 30,000 of a server take memory that it never gives back. */
const statistics = 'default_statistics_target=30'
const startParams = [...PGlite.defaultStartParams, '-c', buffers, '-c', statistics]

/**
 * The embedded database through the client of a server, which puts a statement and all that belongs to it into one
 * message, and remembers statements that are named. PGlite's own interface asks five times for each: by this, a select
 * takes half of the processor's time, a transaction of one the same, and a named select a tenth (measured on PGlite
 * 0.5.16). It has one connection: whoever wants it waits in the order in which they came.
 */
export async function openEmbeddedPool(location: {
  directory: string
}): Promise<{ pool: pg.Pool; close: () => Promise<void> }> {
  const database = await openPglite(location)
  const pool = new pg.Pool({
    max: 1,
    idleTimeoutMillis: 0,
    user: 'postgres',
    ssl: false, // not asked of PGSSLMODE
    stream: () => new EmbeddedConnection(database),
  })
  pool.on('error', () => {}) // as of a server: the statement fails, not the process
  pool.on('connect', (client) => client.on('error', () => {}))
  pool.on('connect', knowingStatements)
  pool.on('connect', queueQueries)
  const close = async () => {
    await pool.end()
    await database.close()
  }
  return { pool, close }
}

/** What the database itself says about files that are no database of its own does not help anybody. */
async function openPglite(location: { directory: string }): Promise<PGlite> {
  // It does not follow a link, such as one to another disk, by itself.
  return PGlite.create(await realpath(location.directory), { startParams }).catch((cause: Error) => {
    const remedy = 'Put a copy in its place that was made while the service was stopped, or start over: sluice reset.'
    throw new Error(`The database in ${location.directory} cannot be opened: ${cause.message}. ${remedy}`, { cause })
  })
}

/** What a client of PostgreSQL takes for its socket: messages of the protocol go to the database in this process. */
class EmbeddedConnection extends Duplex {
  readonly #database: PGlite

  constructor(database: PGlite) {
    super()
    this.#database = database
  }

  /** The session is as a new one, whatever a connection before has left: there is but one. */
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

  override _read(): void {} // what it says is there at once

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
