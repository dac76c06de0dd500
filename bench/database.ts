import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import pg from 'pg'

/** PostgreSQL's default durability, which test servers disable. */
const durable = '-c fsync=on -c synchronous_commit=on -c full_page_writes=on'

/**
 * Selects the database of this process: `pglite`, the embedded one, or `postgres`, the server of TEST_DATABASE_URL.
 * Without a server, restarts the benchmark with a temporary one. Returns a description.
 */
export async function useDatabase(kind: string): Promise<string> {
  if (kind === 'pglite') {
    delete process.env.TEST_DATABASE_URL
    return 'PGlite in the process'
  }
  if (kind !== 'postgres') throw new Error(`--database takes pglite or postgres, not ${kind}`)
  const url = process.env.TEST_DATABASE_URL
  return url ? describeServer(url) : startOver()
}

function startOver(): never {
  const withPostgres = fileURLToPath(new URL('../scripts/with-postgres', import.meta.url))
  const command = [process.execPath, ...process.execArgv, ...process.argv.slice(1)]
  const env = { ...process.env, POSTGRES_OPTIONS: durable }
  process.exit(spawnSync(withPostgres, command, { stdio: 'inherit', env }).status ?? 1)
}

async function describeServer(url: string): Promise<string> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query<{ server_version: string; fsync: string; synchronous_commit: string }>(
    `select current_setting('server_version') as server_version, current_setting('fsync') as fsync,
      current_setting('synchronous_commit') as synchronous_commit`,
  )
  await client.end()
  const { server_version: version, fsync, synchronous_commit: commit } = rows[0] ?? {}
  return `PostgreSQL ${version} on the same machine (fsync ${fsync}, synchronous_commit ${commit})`
}
