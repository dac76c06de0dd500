import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import pg from 'pg'

/** Writes a dump of a database to a file, using pg_dump. */
export async function backUp(url: string, file: string): Promise<void> {
  await run('pg_dump', url, ['--format', 'custom', '--file', file])
}

/** Restores a dump into an empty database, all or nothing, also on a server without Sluice's roles. */
export async function restore(file: string, url: string): Promise<void> {
  await makeRoles(url)
  await run('pg_restore', url, ['--no-owner', '--single-transaction', file])
}

/** Creates an empty database on the server of another one. */
export async function makeDatabase(url: string, name: string): Promise<void> {
  await atServer(url, (client) => client.query(`create database ${name}`))
}

/** Drops a database and its connections, if it exists. */
export async function dropDatabase(url: string, name: string): Promise<void> {
  await atServer(url, async (client) => {
    // Not `with (force)`: a plain role cannot use that while an autovacuum worker is in the database.
    const theirs =
      'select pg_terminate_backend(pid, 10000) from pg_stat_activity where datname = $1 and usename = current_user'
    await client.query(theirs, [name])
    await client.query(`drop database if exists ${name}`)
  })
}

/** Roles belong to the server, and so are not in the dump of a database. */
const roles = ['sluice_tenant', 'sluice_audit_retention', 'sluice_service']

async function makeRoles(url: string): Promise<void> {
  await atServer(url, async (client) => {
    for (const role of roles) {
      const { rowCount } = await client.query('select from pg_roles where rolname = $1', [role])
      if (rowCount === 0) await client.query(`create role ${role} nologin`)
      const { rows } = await client.query('select pg_has_role($1, $2) as has', [role, 'member'])
      if (!rows[0].has) await client.query(`grant ${role} to current_user`)
    }
  })
}

async function atServer(url: string, work: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await work(client)
  } finally {
    await client.end()
  }
}

/** Passes the password outside of the arguments, which other users of the machine could read. */
async function run(program: string, url: string, args: string[]): Promise<void> {
  const address = new URL(url)
  const password = decodeURIComponent(address.password)
  address.password = ''
  const env = { ...process.env, ...(password !== '' && { PGPASSWORD: password }) }
  await promisify(execFile)(program, ['--dbname', address.href, ...args], { env })
}
