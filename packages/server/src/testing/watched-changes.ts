import { setTimeout as sleep } from 'node:timers/promises'
import { changes } from '../interface/changes/tables.ts'
import { sql } from '../platform/db/drizzle.ts'
import type { Db } from '../platform/db/open.ts'

/** The query reads the last entry of an index. The change stream itself asks every 400 ms. Milliseconds. */
const queryIntervalMs = 50

/** The databases of the test environments of this process, with the transaction of the latest change in each. */
const watched = new Map<Db, string | undefined>()

const listeners = new Set<ChangeListener>()
let isWatching = false

/** Wakes each `ChangeListener` of this process when a record in `db` changes, until the returned function is called. */
export function watchChanges(db: Db): () => void {
  watched.set(db, undefined)
  return () => watched.delete(db)
}

/** Reports changes since it was made, or since it last reported one. */
export class ChangeListener {
  #change = Promise.withResolvers<true>()

  constructor() {
    listeners.add(this)
    if (!isWatching) void watchWhileListening()
  }

  notify(): void {
    this.#change.resolve(true)
  }

  /** Waits for a change, but no longer than `timeoutMs`; returns whether there was one. */
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

/** Returns the last transaction that changed a record; undefined if there is none, or the database does not answer. */
async function latestTransaction(db: Db): Promise<string | undefined> {
  const latest = sql<string | null>`max(${changes.transactionId})::text`
  const rows = await db
    .select({ latest })
    .from(changes)
    .catch(() => []) // a test that takes the database away waits by polling alone
  return rows[0]?.latest ?? undefined
}
