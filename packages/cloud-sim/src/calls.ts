import type { StatementSync } from 'node:sqlite'
import type { Store } from './store.ts'

/** API call that the simulated cloud received. */
export interface Call {
  seq: number
  /** Real time of the call, in RFC 3339. */
  at: string
  service: string
  operation: string
  account: string
  region: string
  accessKeyId: string
  request: object
  status: number
  errorCode?: string
  /** Whether the operation was executed, even if the response was dropped. */
  accepted: boolean
}

/** Filters for listing recorded calls. */
export interface CallFilter {
  operation?: string
  service?: string
  account?: string
  /** Resource in the request, by full name or the last segment of an ARN. */
  resource?: string
  accepted?: boolean
  /** Returns only calls after this number. */
  since?: number
  limit?: number
}

const defaultLimit = 1000

/** Log of all calls in order, stored in the state file in the transaction of the call itself. */
export class CallLog {
  readonly #store: Store
  readonly #insert: StatementSync
  #seq: number

  constructor(store: Store) {
    this.#store = store
    store.db.exec(`CREATE TABLE IF NOT EXISTS calls (seq INTEGER PRIMARY KEY, at TEXT, service TEXT, operation TEXT,
      account TEXT, region TEXT, access_key_id TEXT, request TEXT, status INTEGER, error_code TEXT, accepted INTEGER);
      CREATE INDEX IF NOT EXISTS calls_by_operation ON calls (operation, seq);`)
    this.#insert = store.db.prepare('INSERT INTO calls VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)')
    this.#seq = Number(store.db.prepare('SELECT coalesce(max(seq), 0) AS last FROM calls').get()?.last ?? 0)
  }

  add(call: Omit<Call, 'seq' | 'at'>): void {
    const { service, operation, account, region, accessKeyId, request, status, errorCode, accepted } = call
    this.#seq += 1
    const place = [this.#seq, new Date().toISOString(), service, operation, account, region, accessKeyId] as const
    const json = JSON.stringify(request)
    this.#store.append(() => this.#insert.run(...place, json, status, errorCode ?? null, accepted ? 1 : 0))
  }

  list({ operation, service, account, resource, accepted, since, limit }: CallFilter): Call[] {
    this.#store.flush()
    const conditions: [sql: string, ...values: (string | number)[]][] = [['seq > ?', since ?? 0]]
    if (operation !== undefined) conditions.push(['operation = ?', operation])
    if (service !== undefined) conditions.push(['service = ?', service])
    if (account !== undefined) conditions.push(['account = ?', account])
    if (accepted !== undefined) conditions.push(['accepted = ?', accepted ? 1 : 0])
    if (resource !== undefined) {
      conditions.push(['(instr(request, ?) > 0 OR instr(request, ?) > 0)', `"${resource}"`, `/${resource}"`])
    }
    const where = conditions.map(([sql]) => sql).join(' AND ')
    const values = conditions.flatMap(([, ...own]) => own)
    const sql = `SELECT * FROM calls WHERE ${where} ORDER BY seq LIMIT ?`
    const rows = this.#store.db.prepare(sql).all(...values, limit ?? defaultLimit)
    return rows.map((row) => ({
      seq: Number(row.seq),
      at: String(row.at),
      service: String(row.service),
      operation: String(row.operation),
      account: String(row.account),
      region: String(row.region),
      accessKeyId: String(row.access_key_id),
      request: JSON.parse(String(row.request)) as object,
      status: Number(row.status),
      ...(row.error_code === null ? {} : { errorCode: String(row.error_code) }),
      accepted: row.accepted === 1,
    }))
  }

  /** Deletes all calls. Numbering continues. */
  clear(): void {
    this.#store.append(() => this.#store.db.exec('DELETE FROM calls'))
  }
}
