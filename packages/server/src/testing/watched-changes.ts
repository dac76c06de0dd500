import { setTimeout as sleep } from 'node:timers/promises'
import { changes } from '../interface/changes/tables.ts'
import { sql } from '../platform/db/drizzle.ts'
import type { Db } from '../platform/db/open.ts'

/**
 * Interval of the query for the latest change, in milliseconds. It reads one index entry; the change stream itself
 * polls every 400 ms.
 */
const queryIntervalMs = 50

/** Databases of this process's test environments, with the transaction of the latest change. */
const watched = new Map<Db, string | undefined>()

const listeners = new Set<ChangeListener>()
let isWatching = false

/** Notifies every `ChangeListener` of this process of changes in `db`, until the returned function is called. */
export function watchChanges(db: Db): () => void {
  watched.set(db, undefined)
  return () => watched.delete(db)
}

/** Reports changes since its creation or since its last report. */
export class ChangeListener {
  #change = Promise.withResolvers<true>()

  constructor() {
    listeners.add(this)
    if (!isWatching) void watchWhileListening()
  }

  notify(): void {
    this.#change.resolve(true)
  }

  /** Waits up to `timeoutMs` for a change. Returns whether there was one. */
  async next(timeoutMs: number): Promise<boolean> {
    const timeout = new AbortController()
    const hasChanged = await Promise.race([
      this.#change.promise,
      sleep(timeoutMs, false, timeout).catch(() => false), // aborted below
    ])
    timeout.abort()
    if (hasChanged) this.#change = Promise.withResolvers()
    return hasChanged
  }

  [Symbol.dispose](): void {
    listeners.delete(this)
  }
}

async function watchWhileListening(): Promise<void> {
  isWatching = true
  while (listeners.size > 0) {
    for (const db of watched.keys()) await readLatest(db)
    await sleep(queryIntervalMs)
  }
  isWatching = false
}

async function readLatest(db: Db): Promise<void> {
  const latest = await latestTransaction(db)
  // The database may have been closed during the query.
  if (!watched.has(db) || latest === watched.get(db)) return
  watched.set(db, latest)
  for (const listener of listeners) listener.notify()
}

/** Returns the last transaction that changed a record; undefined if there is none or the database does not respond. */
async function latestTransaction(db: Db): Promise<string | undefined> {
  const latest = sql<string | null>`max(${changes.transactionId})::text`
  const rows = await db
    .select({ latest })
    .from(changes)
    .catch(() => []) // a test that stops the database falls back to polling
  return rows[0]?.latest ?? undefined
}
