import type { Socket } from 'node:net'
import pg from 'pg'
import { DatabaseAway } from './away.ts'
import type { SessionSettings } from './connections/session.ts'

/** Milliseconds. Together they make it 5 to 13 s until a connection is ended that will not answer any more. */
const usualPatience = {
  /** So long a statement may be without a word of the server before we look what has become of it. */
  silenceMs: 5_000,
  lookEveryMs: 2_500,
  /** Whoever does not let us in, or does not answer, within so long is away. */
  lookMs: 5_000,
}
/** An answer may be on its way while a look says that there is none to come. */
const doubtsThatSuffice = 2

/** Detects peers that are gone while nothing is asked of them. Node probes each second after that, ten times. */
export const keptAlive = { keepAlive: true, keepAliveInitialDelayMillis: 5_000 } as const

/**
 * The same for the server, which otherwise keeps the locks of a machine that is gone for two hours, and those of a
 * process that hangs in a transaction for as long as it does: its system still answers for it.
 */
export const serverKeepAlive: SessionSettings = {
  idle_in_transaction_session_timeout: '15000',
  tcp_keepalives_idle: '5',
  tcp_keepalives_interval: '2',
  tcp_keepalives_count: '5',
  tcp_user_timeout: '15000',
}

/**
 * Ends connections on which the server will not answer any more: its machine was lost, or something in between forgot
 * them, and nobody says so. The system gives such a connection up after some 15 minutes. A statement may take as long
 * as it likes: one that is silent is asked about on a connection of its own, and only if nobody is there, or the
 * server does not work on it, is its connection ended.
 * @param place where to look: not in the role of tenants, who see nothing of others' statements
 */
export function endVanished(pool: pg.Pool, place: { connectionString: string }, patience = usualPatience): void {
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

/** Which of these processes of the server carry out a statement; `undefined` where that cannot be told. */
type Working = ReadonlySet<number> | 'nobody is there' | undefined

const asked = `select pg_backend_pid() as own,
  array(select pid from pg_stat_activity where pid = any($1) and coalesce(state, '') not like 'idle%') as working`

/** The process of the server at the other end, as the server says when a connection begins. */
const processOf = (client: pg.ClientBase): number => (client as unknown as { processID: number }).processID

async function whoWorks(config: pg.ClientConfig, pids: number[]): Promise<Working> {
  const client = new pg.Client(config)
  client.on('error', () => {}) // told by what fails
  try {
    await client.connect()
    const { rows } = await client.query<{ own: number; working: number[] }>(asked, [pids])
    const [{ own, working } = { own: 0, working: [] }] = rows
    return own === processOf(client) ? new Set(working) : undefined // a pooler gives numbers of its own
  } catch (error) {
    // One that lets us in no more, as it has too many connections, may work on all the same.
    const { severity, code } = error as { severity?: unknown; code?: unknown }
    return severity !== undefined && !String(code).startsWith('57P') ? undefined : 'nobody is there'
  } finally {
    void client.end().catch(() => {})
  }
}

/** A connection, and what the server owes on it. */
class Line {
  readonly #client: pg.PoolClient
  readonly #socket: Socket
  readonly #silenceMs: number
  /** Statements without their end. */
  #owed = 0
  /** When the server last said something, or was asked after it had said all. */
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

  /** The process of the server at its other end. */
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
    this.#socket.destroy(new DatabaseAway(`the database has not said a word for ${seconds} s, and will not any more`))
  }

  #hears(): void {
    this.#heardAt = performance.now()
    this.#bytesHeard = this.#socket.bytesRead
    this.#doubts = 0
  }
}
