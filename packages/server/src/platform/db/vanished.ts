import type { Socket } from 'node:net'
import pg from 'pg'
import { DatabaseUnavailable } from './away.ts'
import type { SessionSettings } from './connections/session.ts'

/** Timeouts in milliseconds. Together they end a dead connection after 5 to 13 s. */
const usualPatience = {
  /** Time without a message of the server after which a statement is checked. */
  silenceMs: 5_000,
  lookEveryMs: 2_500,
  /** Timeout of a check. */
  lookMs: 5_000,
}
/** Number of failed checks that end a connection: a response may arrive during the first. */
const doubtsThatSuffice = 2

/** TCP keepalive of idle connections. Node probes every second after the delay, ten times. */
export const keptAlive = { keepAlive: true, keepAliveInitialDelayMillis: 5_000 } as const

/**
 * Timeouts of the server, which otherwise keeps locks of a lost machine for two hours, and those of a process that
 * hangs in a transaction without end.
 */
export const serverKeepAlive: SessionSettings = {
  idle_in_transaction_session_timeout: '15000',
  tcp_keepalives_idle: '5',
  tcp_keepalives_interval: '2',
  tcp_keepalives_count: '5',
  tcp_user_timeout: '15000',
}

/**
 * Ends connections on which the server will never respond: its machine was lost, or a device in between forgot them.
 * The system gives up such a connection after some 15 minutes. Statements may take as long as they need: a silent one
 * is checked on a separate connection, and its connection ends only if the server is gone or does not execute it.
 * @param place address for checks, not in the role of tenants, who cannot see statements of others
 */
export function closeDeadConnections(
  pool: pg.Pool,
  place: { connectionString: string },
  patience = usualPatience,
): void {
  const lines = new Set<Line>()
  pool.on('connect', (client) => {
    const line = new Line(client, patience.silenceMs)
    lines.add(line)
    client.once('end', () => lines.delete(line))
  })
  let isLooking = false
  const look = async () => {
    const silent = [...lines].filter((line) => line.isSilent())
    if (silent.length === 0 || isLooking) return
    isLooking = true
    const pids = silent.map(({ pid }) => pid)
    const working = await whoWorks({ ...place, ...answeringWithin(patience.lookMs) }, pids)
    for (const line of silent) line.judge(working)
    isLooking = false
  }
  const timer = setInterval(() => {
    if (pool.ended) clearInterval(timer)
    else void look()
  }, patience.lookEveryMs)
  timer.unref()
}

const answeringWithin = (ms: number) => ({ connectionTimeoutMillis: ms, query_timeout: ms })

/** Processes of the server that execute a statement; `undefined` if unknown. */
type Working = ReadonlySet<number> | 'nobody is there' | undefined

const asked = `select pg_backend_pid() as own,
  array(select pid from pg_stat_activity where pid = any($1) and coalesce(state, '') not like 'idle%') as working`

/** Returns the process of the server at the other end, as reported at the start of the connection. */
const processOf = (client: pg.ClientBase): number => (client as unknown as { processID: number }).processID

async function whoWorks(config: pg.ClientConfig, pids: number[]): Promise<Working> {
  const client = new pg.Client(config)
  client.on('error', () => {}) // reported by the failing statement
  try {
    await client.connect()
    const { rows } = await client.query<{ own: number; working: number[] }>(asked, [pids])
    const [{ own, working } = { own: 0, working: [] }] = rows
    return own === processOf(client) ? new Set(working) : undefined // a pooler reports its own process IDs
  } catch (error) {
    // A server that rejects connections, because it has too many, may still execute statements.
    const { severity, code } = error as { severity?: unknown; code?: unknown }
    return severity !== undefined && !String(code).startsWith('57P') ? undefined : 'nobody is there'
  } finally {
    void client.end().catch(() => {})
  }
}

/** Connection with its unanswered statements. */
class Line {
  readonly #client: pg.PoolClient
  readonly #socket: Socket
  readonly #silenceMs: number
  /** Number of unfinished statements. */
  #owed = 0
  /** Time of the last message of the server, or of the first statement after it. */
  #heardAt = 0
  #bytesHeard = 0
  #doubts = 0

  constructor(client: pg.PoolClient, silenceMs: number) {
    this.#silenceMs = silenceMs
    this.#client = client
    this.#socket = client.connection.stream as Socket
    const { query } = client
    client.query = ((...args: unknown[]) => {
      if (this.#owed === 0) this.#hears()
      this.#owed += 1
      return Reflect.apply(query, client, args)
    }) as typeof query
    client.connection.on('readyForQuery', () => {
      this.#owed -= 1
      this.#hears()
    })
  }

  /** Process of the server at the other end. */
  get pid(): number {
    return processOf(this.#client)
  }

  isSilent(): boolean {
    if (this.#owed === 0) return false
    if (this.#socket.bytesRead !== this.#bytesHeard) this.#hears()
    return performance.now() - this.#heardAt >= this.#silenceMs
  }

  judge(working: Working): void {
    if (working === undefined || !this.isSilent()) return
    if (working !== 'nobody is there' && working.has(this.pid)) {
      this.#doubts = 0
      return
    }
    this.#doubts += 1
    if (working !== 'nobody is there' && this.#doubts < doubtsThatSuffice) return
    const seconds = Math.round((performance.now() - this.#heardAt) / 1_000)
    this.#socket.destroy(new DatabaseUnavailable(`the database has not responded for ${seconds} s`))
  }

  #hears(): void {
    this.#heardAt = performance.now()
    this.#bytesHeard = this.#socket.bytesRead
    this.#doubts = 0
  }
}
