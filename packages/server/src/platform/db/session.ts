import type pg from 'pg'

/** Settings of a database session, by name. */
export type SessionSettings = Readonly<Record<string, string>>

/**
 * Sets them for the rest of the session, by a statement: poolers such as PgBouncer refuse settings among the parameters
 * that a connection starts with.
 */
export async function configureSession(client: pg.ClientBase, settings: SessionSettings): Promise<void> {
  const names = Object.keys(settings)
  const calls = names.map((_, index) => `set_config($${2 * index + 1}, $${2 * index + 2}, false)`)
  await client.query(`select ${calls.join(', ')}`, Object.entries(settings).flat())
}
