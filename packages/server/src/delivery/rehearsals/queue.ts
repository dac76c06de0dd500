import type { Logger } from 'pino'
import type { Db } from '../../platform/db/open.ts'

type Parts = {
  /** Runs one rehearsal to its end. */
  run: (db: Db, id: string, signal: AbortSignal) => Promise<void>
  log: Logger
}

/**
 * Runs the rehearsals of this process one at a time, since each takes a whole processor. Organizations take turns:
 * several rehearsals of one organization delay those of another by one rehearsal, not by all.
 */
export class RehearsalQueue {
  readonly #parts: Parts
  /** IDs of waiting rehearsals by the database handle of their organization, the organization that is next first. */
  readonly #waiting = new Map<Db, Set<string>>()
  readonly #stopping = new AbortController()
  #running: Promise<void> | undefined

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Adds a rehearsal, unless it waits already. `db` is the handle of its organization, always the same one. */
  add(db: Db, id: string): void {
    const ids = this.#waiting.get(db) ?? new Set()
    this.#waiting.set(db, ids.add(id))
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined
    })
  }

  /** Stops the running rehearsal, which another process runs again, and forgets the others. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#running
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping
    for (let next = this.#takeNext(); next && !signal.aborted; next = this.#takeNext()) {
      const { db, id } = next
      await this.#parts
        .run(db, id, signal)
        .catch((error: unknown) => this.#parts.log.error({ rehearsal: id, err: error }, 'a rehearsal could not be run'))
    }
  }

  /** Removes the next rehearsal and moves its organization to the end. */
  #takeNext(): { db: Db; id: string } | undefined {
    const [next] = this.#waiting
    if (!next) return undefined
    const [db, ids] = next
    const [id = ''] = ids
    ids.delete(id)
    this.#waiting.delete(db)
    if (ids.size > 0) this.#waiting.set(db, ids)
    return { db, id }
  }
}
