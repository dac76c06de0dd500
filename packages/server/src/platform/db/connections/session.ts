import { randomUUID } from 'node:crypto'
import type pg from 'pg'

/** Timeout in milliseconds. A pooler accepts a connection before it has a session, and delays its first statement. */
const timeoutMs = 10_000

/** Settings of a database session, by name. */
export type SessionSettings = Readonly<Record<string, string>>

/**
 * Sets parameters for the rest of a session, by a statement: poolers such as PgBouncer reject them in the startup
 * message.
 */
export async function configureSession(client: pg.ClientBase, settings: SessionSettings): Promise<void> {
  const names = Object.keys(settings)
  const calls = names.map((_, index) => `set_config($${2 * index + 1}, $${2 * index + 2}, false)`)
  const query = {
    text: `select ${calls.join(', ')}`,
    values: Object.entries(settings).flat(),
    query_timeout: timeoutMs,
  }
  await client.query(query)
}

/**
 * Checks that each connection has its own session. A pooler of transactions or statements would apply settings of one
 * connection to others, and with them the organization.
 */
export async function expectOwnSessions(one: pg.ClientBase, other: pg.ClientBase): Promise<void> {
  const probe = randomUUID()
  await one.query("select set_config('sluice.probe', $1, false)", [probe])
  await other.query('begin') // occupies a session of the server, whatever the pooler does
  try {
    const [there, here] = [await probeOf(other), await probeOf(one)]
    if (here === probe && there !== probe) return
  } finally {
    await other.query('rollback')
  }
  throw new Error(
    'DATABASE_URL leads to a pooler that shares sessions among connections, by which data of one organization could ' +
      'reach another. Let it pool sessions: pool_mode = session in PgBouncer.',
  )
}

async function probeOf(client: pg.ClientBase): Promise<string | null> {
  const { rows } = await client.query<{ probe: string | null }>("select current_setting('sluice.probe', true) as probe")
  return rows[0]?.probe ?? null
}
