import { DatabaseSync, type StatementSync } from 'node:sqlite'
import type { Timers } from './timers.ts'

/** One entity: a key that never changes, and the moment in cloud time when something is next due for it. */
export interface Row {
  key: string
  wakeAt?: number | undefined
}

/** Who looks, and when: a reader may be shown only what was made before a moment. Cloud time. */
export interface View {
  now: () => number
  /** Rows that were made later are not shown. */
  until: number
}

/** What rows are found by, besides their key. */
export type Indexes<T> = Record<string, (row: T) => string>

/**
 * All entities of one kind, in memory, in the order they were made. `save` after every change: it remembers the row for
 * the next commit and sets the timer for its `wakeAt`.
 */
export class Table<T extends Row> {
  readonly kind: string
  readonly #store: Store
  readonly #rows = new Map<string, T>()
  readonly #indexes: { of: (row: T) => string; rows: Map<string, Set<T>> }[] = []
  readonly #names: string[]
  readonly #timers = new Map<string, number>()
  /**
   * When rows were made, where it takes time until all see them; in memory, so that a restart lets everything be seen.
   */
  readonly #madeAt = new Map<string, number>()
  readonly #isEventual: boolean
  #wake: ((row: T) => void) | undefined

  constructor(store: Store, kind: string, indexes: Indexes<T> = {}, isEventual = false) {
    this.#isEventual = isEventual
    this.kind = kind
    this.#store = store
    this.#names = Object.keys(indexes)
    for (const of of Object.values(indexes)) this.#indexes.push({ of, rows: new Map() })
    for (const json of store.load(kind)) this.#add(JSON.parse(json) as T)
  }

  /** Says what happens when a row's `wakeAt` comes; the row's `wakeAt` is cleared before. */
  onWake(wake: (row: T) => void): void {
    this.#wake = wake
    for (const row of this.#rows.values()) this.#setTimer(row)
  }

  get size(): number {
    return this.#rows.size
  }

  get(key: string): T | undefined {
    const row = this.#rows.get(key)
    return row && this.#isShown(row) ? row : undefined
  }

  all(): Iterable<T> {
    return this.#madeAt.size === 0 ? this.#rows.values() : [...this.#rows.values()].filter((row) => this.#isShown(row))
  }

  /** The rows that have `value` in an index, oldest first. */
  having(index: string, value: string): T[] {
    const rows = this.#indexes[this.#names.indexOf(index)]?.rows.get(value)
    return rows ? [...rows].filter((row) => this.#isShown(row)) : []
  }

  save(row: T): T {
    const there = this.#rows.get(row.key)
    if (there !== row) {
      if (there) this.#removeFromIndexes(there)
      else if (this.#isEventual) this.#madeAt.set(row.key, this.#store.view.now())
      this.#add(row)
    }
    this.#store.touch(this.kind, row.key, row)
    this.#setTimer(row)
    return row
  }

  remove(row: T): void {
    if (!this.#rows.delete(row.key)) return
    this.#removeFromIndexes(row)
    this.#timers.delete(row.key)
    this.#madeAt.delete(row.key)
    this.#store.touch(this.kind, row.key, undefined)
  }

  clear(): void {
    for (const row of [...this.#rows.values()]) this.remove(row)
  }

  #isShown({ key }: T): boolean {
    const madeAt = this.#madeAt.get(key)
    return madeAt === undefined || madeAt <= this.#store.view.until
  }

  #add(row: T): void {
    this.#rows.set(row.key, row)
    for (const { of, rows } of this.#indexes) {
      const value = of(row)
      const there = rows.get(value)
      if (there) there.add(row)
      else rows.set(value, new Set([row]))
    }
  }

  #removeFromIndexes(row: T): void {
    for (const { of, rows } of this.#indexes) {
      const value = of(row)
      const left = rows.get(value)
      left?.delete(row)
      if (left?.size === 0) rows.delete(value)
    }
  }

  #setTimer(row: T): void {
    if (!this.#wake || row.wakeAt === this.#timers.get(row.key)) return
    if (row.wakeAt === undefined) {
      this.#timers.delete(row.key)
      return
    }
    this.#timers.set(row.key, row.wakeAt)
    this.#store.timers.set(row.wakeAt, (at) => this.#ring(row, at))
  }

  /** A timer whose row is gone or was moved since is stale and does nothing. */
  #ring(row: T, at: number): void {
    if (this.#timers.get(row.key) !== at || this.#rows.get(row.key) !== row) return
    this.#timers.delete(row.key)
    row.wakeAt = undefined
    this.#wake?.(row)
    this.#store.touch(this.kind, row.key, this.#rows.get(row.key))
  }
}

/**
 * The state file: one SQLite row per entity. Changes gather in memory and are written together by `commit`, which
 * everything that answers a caller awaits. WAL with synchronous NORMAL survives the death of the process at any point.
 * The file is locked while it is open: two clouds that shared one would each overwrite the other.
 */
export class Store {
  readonly db: DatabaseSync
  readonly timers: Timers
  /** Everything is shown, but while somebody looks who may not see the newest. */
  readonly view: View = { now: () => 0, until: Number.POSITIVE_INFINITY }
  readonly #dirty = new Map<string, { kind: string; key: string; row: Row | undefined }>()
  readonly #write: StatementSync
  readonly #delete: StatementSync
  readonly #appends: (() => void)[] = []
  #committing: Promise<void> | undefined

  constructor(file: string, timers: Timers) {
    this.timers = timers
    this.db = new DatabaseSync(file)
    this.db.exec(`PRAGMA busy_timeout = 2000; PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;
      CREATE TABLE IF NOT EXISTS entities (kind TEXT, key TEXT, json TEXT NOT NULL, PRIMARY KEY (kind, key));`)
    this.#write = this.db.prepare(
      'INSERT INTO entities VALUES (?, ?, ?) ON CONFLICT (kind, key) DO UPDATE SET json = excluded.json',
    )
    this.#delete = this.db.prepare('DELETE FROM entities WHERE kind = ? AND key = ?')
  }

  /** The rows of a kind in the order they were made: an update keeps the rowid. */
  load(kind: string): string[] {
    const rows = this.db.prepare('SELECT json FROM entities WHERE kind = ? ORDER BY rowid').all(kind)
    return rows.map((row) => String(row.json))
  }

  touch(kind: string, key: string, row: Row | undefined): void {
    this.#dirty.set(`${kind} ${key}`, { kind, key, row })
  }

  /** A statement to run within the next commit. */
  append(statement: () => void): void {
    this.#appends.push(statement)
  }

  /** Resolves once everything changed so far is in the file; calls of the same turn share one transaction. */
  commit(): Promise<void> {
    this.#committing ??= new Promise((resolve, reject) => {
      setImmediate(() => {
        this.#committing = undefined
        try {
          this.flush()
          resolve()
        } catch (error) {
          reject(error)
        }
      })
    })
    return this.#committing
  }

  flush(): void {
    if (this.#dirty.size === 0 && this.#appends.length === 0) return
    this.db.exec('BEGIN')
    for (const { kind, key, row } of this.#dirty.values()) {
      if (row) this.#write.run(kind, key, JSON.stringify(row))
      else this.#delete.run(kind, key)
    }
    for (const statement of this.#appends) statement()
    this.db.exec('COMMIT')
    this.#dirty.clear()
    this.#appends.length = 0
  }

  close(): void {
    this.flush()
    this.db.close()
  }
}
