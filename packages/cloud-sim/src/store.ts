import { DatabaseSync, type StatementSync } from 'node:sqlite'
import type { Timers } from './timers.ts'

/** Entity with a unique key and the cloud time of its next timed event. */
export interface Row {
  key: string
  wakeAt?: number | undefined
}

/** Visibility of rows, for eventual consistency. Cloud time. */
export interface View {
  now: () => number
  /** Rows created later are not visible. */
  until: number
}

/** Indexes by which rows are found. */
export type Indexes<T> = Record<string, (row: T) => string>

/** Row before a transaction, to be restored if the transaction fails. */
interface Before<T extends Row> {
  /** Undefined if the key did not exist. */
  row: T | undefined
  /** The row when first read; undefined if it was only written and still equals the stored one. */
  json: string | undefined
  order: number | undefined
  madeAt: number | undefined
}

/** Functions of a table that the store needs for transactions. */
interface Journaled {
  kind: string
  rollBack(storedJson: (key: string) => string | undefined): void
  forgetJournal(): void
}

/**
 * Table of entities in memory, in creation order. Call `save` after every change: it records the row for the next
 * commit and schedules its `wakeAt`.
 */
export class Table<T extends Row> {
  readonly kind: string
  readonly #store: Store
  readonly #rows = new Map<string, T>()
  readonly #indexes: { of: (row: T) => string; rows: Map<string, Set<T>> }[] = []
  readonly #names: string[]
  readonly #timers = new Map<string, number>()
  /** Creation order of each row. */
  readonly #orders = new Map<string, number>()
  #lastOrder = 0
  /** Rows that the current transaction read or created. */
  readonly #journal = new Map<string, Before<T>>()
  /** Creation times, for eventual consistency. In memory only, so that a restart makes all rows visible. */
  readonly #madeAt = new Map<string, number>()
  readonly #isEventual: boolean
  readonly #isLarge: boolean
  #wake: ((row: T) => void) | undefined

  constructor(store: Store, kind: string, indexes: Indexes<T> = {}, { isEventual = false, isLarge = false } = {}) {
    this.#isEventual = isEventual
    this.#isLarge = isLarge
    this.kind = kind
    this.#store = store
    this.#names = Object.keys(indexes)
    for (const of of Object.values(indexes)) this.#indexes.push({ of, rows: new Map() })
    for (const json of store.load(kind)) this.#add(JSON.parse(json) as T)
  }

  /** Sets the handler for due rows. The row's `wakeAt` is cleared before each call. */
  onWake(wake: (row: T) => void): void {
    this.#wake = wake
    for (const row of this.#rows.values()) this.#setTimer(row)
  }

  get size(): number {
    return this.#rows.size
  }

  get(key: string): T | undefined {
    const row = this.#rows.get(key)
    if (!row || !this.#isShown(row)) return undefined
    this.#rememberRead(row)
    return row
  }

  all(): Iterable<T> {
    if (this.#store.transaction) for (const row of this.#rows.values()) this.#rememberRead(row)
    return this.#madeAt.size === 0 ? this.#rows.values() : [...this.#rows.values()].filter((row) => this.#isShown(row))
  }

  /** Returns the rows with `value` in an index, oldest first. */
  having(index: string, value: string): T[] {
    const rows = this.#indexes[this.#names.indexOf(index)]?.rows.get(value)
    const shown = rows ? [...rows].filter((row) => this.#isShown(row)) : []
    for (const row of shown) this.#rememberRead(row)
    return shown
  }

  save(row: T): T {
    this.#remember(row.key)
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
    this.#remember(row.key)
    if (!this.#rows.delete(row.key)) return
    this.#removeFromIndexes(row)
    this.#timers.delete(row.key)
    this.#madeAt.delete(row.key)
    this.#orders.delete(row.key)
    this.#store.touch(this.kind, row.key, undefined)
  }

  /** Reverts the current transaction's changes, saved or not. */
  rollBack(storedJson: (key: string) => string | undefined): void {
    for (const [key, before] of this.#journal) this.#restore(key, before, before.json ?? storedJson(key))
  }

  forgetJournal(): void {
    this.#journal.clear()
  }

  /** Restores a row to `json` in its place, or deletes it if the transaction created it. */
  #restore(key: string, { row, order, madeAt }: Before<T>, json: string | undefined): void {
    const current = this.#rows.get(key)
    if (current && current !== row) {
      this.#rows.delete(key)
      this.#removeFromIndexes(current)
      this.#timers.delete(key)
      this.#madeAt.delete(key)
      this.#orders.delete(key)
    }
    if (!row || json === undefined) return
    if (JSON.stringify(row) !== json) overwrite(row, JSON.parse(json) as T)
    if (current !== row) {
      if (madeAt !== undefined) this.#madeAt.set(key, madeAt)
      this.#add(row, order)
      this.#sort(row)
    }
    this.#setTimer(row)
  }

  /** Restores the creation order of the table and of the row's indexes. */
  #sort(row: T): void {
    const byOrder = (one: T, other: T) => (this.#orders.get(one.key) ?? 0) - (this.#orders.get(other.key) ?? 0)
    const all = [...this.#rows.values()].sort(byOrder)
    this.#rows.clear()
    for (const one of all) this.#rows.set(one.key, one)
    for (const { of, rows } of this.#indexes) {
      const value = of(row)
      rows.set(value, new Set([...(rows.get(value) ?? [])].sort(byOrder)))
    }
  }

  /**
   * Remembers a row that was read, because the transaction may change it before failing. Large rows are only changed
   * when saved.
   */
  #rememberRead(row: T): void {
    if (this.#isLarge || !this.#store.transaction || this.#journal.has(row.key)) return
    this.#remember(row.key, JSON.stringify(row))
  }

  #remember(key: string, json?: string): void {
    if (!this.#store.transaction || this.#journal.has(key)) return
    this.#store.transaction.add(this)
    const [row, order, madeAt] = [this.#rows.get(key), this.#orders.get(key), this.#madeAt.get(key)]
    this.#journal.set(key, { row, json, order, madeAt })
  }

  clear(): void {
    for (const row of [...this.#rows.values()]) this.remove(row)
  }

  #isShown({ key }: T): boolean {
    const madeAt = this.#madeAt.get(key)
    return madeAt === undefined || madeAt <= this.#store.view.until
  }

  #add(row: T, order = this.#orders.get(row.key) ?? ++this.#lastOrder): void {
    this.#rows.set(row.key, row)
    this.#orders.set(row.key, order)
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

  /** Handles a timer, unless its row was deleted or rescheduled. */
  #ring(row: T, at: number): void {
    if (this.#timers.get(row.key) !== at || this.#rows.get(row.key) !== row) return
    this.#remember(row.key)
    this.#timers.delete(row.key)
    row.wakeAt = undefined
    this.#wake?.(row)
    this.#store.touch(this.kind, row.key, this.#rows.get(row.key))
  }
}

const idOf = (kind: string, key: string) => `${kind} ${key}`

/** Replaces all members of an object. */
function overwrite<T extends object>(target: T, source: T): void {
  for (const name of Object.keys(target)) delete target[name as keyof T]
  Object.assign(target, source)
}

/**
 * State file with one SQLite row per entity. Changes are collected in memory and written by `commit`, which every
 * response awaits. WAL with synchronous NORMAL survives a crash at any point. The file is locked, because two clouds
 * would overwrite each other's changes.
 */
export class Store {
  readonly db: DatabaseSync
  readonly timers: Timers
  /** Current visibility of rows; by default all are visible. */
  readonly view: View = { now: () => 0, until: Number.POSITIVE_INFINITY }
  /** Rows changed since the last transaction ended. */
  readonly #dirty = new Map<string, { kind: string; key: string; row: Row | undefined }>()
  /** Rows of completed transactions, to be written by the next commit. */
  readonly #settled = new Map<string, { kind: string; key: string; json: string | undefined }>()
  /** Tables used by the current transaction; undefined outside of one. */
  transaction: Set<Journaled> | undefined
  readonly #write: StatementSync
  readonly #delete: StatementSync
  readonly #read: StatementSync
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
    this.#read = this.db.prepare('SELECT json FROM entities WHERE kind = ? AND key = ?')
  }

  /** Loads rows in creation order, which updates preserve through the rowid. */
  load(kind: string): string[] {
    const rows = this.db.prepare('SELECT json FROM entities WHERE kind = ? ORDER BY rowid').all(kind)
    return rows.map((row) => String(row.json))
  }

  touch(kind: string, key: string, row: Row | undefined): void {
    this.#dirty.set(idOf(kind, key), { kind, key, row })
  }

  /** Runs `work` atomically: if it throws, every row that it accessed is restored, even if changed but not saved. */
  atomically<T>(work: () => T): T {
    this.#settle()
    const appendCount = this.#appends.length
    const tables = new Set<Journaled>()
    this.transaction = tables
    try {
      const result = work()
      this.#settle()
      return result
    } catch (error) {
      for (const table of tables) table.rollBack((key) => this.#storedJson(table.kind, key))
      this.#dirty.clear()
      this.#appends.length = appendCount
      throw error
    } finally {
      for (const table of tables) table.forgetJournal()
      this.transaction = undefined
    }
  }

  #storedJson(kind: string, key: string): string | undefined {
    const settled = this.#settled.get(idOf(kind, key))
    if (settled) return settled.json
    const stored = this.#read.get(kind, key)
    return stored && String(stored.json)
  }

  #settle(): void {
    for (const [id, { kind, key, row }] of this.#dirty) {
      this.#settled.set(id, { kind, key, json: row && JSON.stringify(row) })
    }
    this.#dirty.clear()
  }

  /** Adds a statement to the next commit. */
  append(statement: () => void): void {
    this.#appends.push(statement)
  }

  /** Resolves once all changes so far are stored; calls in the same turn share one transaction. */
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
    this.#settle()
    if (this.#settled.size === 0 && this.#appends.length === 0) return
    this.db.exec('BEGIN')
    for (const { kind, key, json } of this.#settled.values()) {
      if (json !== undefined) this.#write.run(kind, key, json)
      else this.#delete.run(kind, key)
    }
    for (const statement of this.#appends) statement()
    this.db.exec('COMMIT')
    this.#settled.clear()
    this.#appends.length = 0
  }

  close(): void {
    this.flush()
    this.db.close()
  }
}
