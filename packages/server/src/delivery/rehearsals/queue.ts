import type { Db } from '../../platform/db/open.ts'
import { type RunParts, runRehearsal } from './run.ts'

/** The rehearsals that this process runs: one at a time, since each takes a processor for itself. */
export class RehearsalQueue {
  readonly #parts: RunParts
  readonly #waiting = new Map<string, Db>()
  readonly #stopping = new AbortController()
  #running: Promise<void> | undefined

  constructor(parts: RunParts) {
    this.#parts = parts
  }

  /** Adds a rehearsal, unless it waits already. */
  add(db: Db, id: string): void {
    this.#waiting.set(id, db)
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined
    })
  }

  /** Ends the running rehearsal, which another process begins again, and forgets the others. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#running
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping
    for (const [id, db] of this.#waiting) {
      if (signal.aborted) return
      this.#waiting.delete(id)
      await runRehearsal(this.#parts, db, id, signal).catch((error: unknown) =>
        this.#parts.log.error({ rehearsal: id, err: error }, 'a rehearsal could not be run'),
      )
    }
  }
}
