import { mkdir, realpath } from 'node:fs/promises'
import pg from 'pg'
import { measurePools } from '../metrics/database.ts'
import type { Metrics } from '../metrics/metrics.ts'
import { ConnectionTurns, type ConnectionUse } from './connections/connection-turns.ts'
import { throughPool } from './connections/pool.ts'
import { queueQueries } from './connections/query-queue.ts'
import { requestWaits } from './connections/request-waits.ts'
import { configureSession, expectOwnSessions, type SessionSettings } from './connections/session.ts'
import {
  drizzlePostgres,
  migratePostgres,
  type PgDatabase,
  type PgQueryResultHKT,
  readMigrationFiles,
  sql,
} from './drizzle.ts'
import { openEmbeddedPool } from './embedded.ts'
import { expectFinishedRestore, expectWholeSchema } from './migrations/expected-schema.ts'
import { readOldestCompatible, storeOldestCompatible } from './migrations/lives-with.ts'
import { migrateOnline } from './migrations/migrate-beside.ts'
import { migrationsFolder } from './migrations/migrations-folder.ts'
import { takeReadyMade } from './migrations/ready-made.ts'
import { cacheStatementDescriptions } from './named-statements.ts'
import {
  cached,
  keyOf,
  OrganizationPool,
  type RowVisibility,
  type TakeTurn,
  tenantSession,
  unrestrictedVisibility,
  visibilityOf,
} from './organization.ts'
import { actsAsService, serviceSession } from './service-role.ts'
import { type StatusChange, withStatusChangeListener } from './status-changes.ts'
import { expectPlainRole } from './superuser.ts'
import { startUpkeep } from './upkeep.ts'
import { closeDeadConnections, keptAlive, serverKeepAlive } from './vanished.ts'

/** Database or transaction: one type for PostgreSQL and the embedded PGlite. */
export type Db = PgDatabase<PgQueryResultHKT, Record<string, never>>

export type Database = {
  /**
   * Sees every organization, for operations before the organization is known. docs/architecture.md lists all that
   * receive it.
   */
  db: Db
  /**
   * Returns a handle that sees one organization: the database itself hides the rows of all others, and those in
   * `hidden` projects and environments. Connections are shared by their use.
   */
  ofOrganization(organizationId: string, hidden?: ReadonlySet<string>, use?: ConnectionUse): Db
  close(): Promise<void>
}

/** Location of the data: a PostgreSQL server, or a directory of the embedded database. */
export type DatabaseLocation = ServerLocation | { directory: string }

type ServerLocation = {
  url: string
  allowsSuperuser?: boolean
  /** Maximum number of connections; half of them for requests of organizations. */
  connections?: number
}

/**
 * Opens the database and migrates its schema. Several processes may start concurrently: on PostgreSQL an advisory lock
 * lets one migrate while the others wait.
 */
export async function openDatabase(
  location: DatabaseLocation,
  { metrics, onChange }: { metrics?: Metrics; onChange?: (change: StatusChange) => void } = {},
): Promise<Database> {
  if (metrics && !('url' in location)) measurePools(metrics, [])
  const database = await ('url' in location ? openServer(location, metrics) : openEmbedded(location))
  if (!onChange) return database
  return {
    ...database,
    db: withStatusChangeListener(database.db, onChange),
    ofOrganization: (...asked) => withStatusChangeListener(database.ofOrganization(...asked), onChange),
  }
}

// Any number that no other program is likely to use. It must be the same in every process of Sluice.
const migrationLock = 5_815_721_042n

/** Maximum wait for a connection, in milliseconds. */
const mostWaitMs = 10_000
const mostWaitForOneMs = 60_000

/**
 * Idle time in milliseconds after which a connection is closed. A new one takes some 9 ms of processor time on both
 * ends together, and loses the prepared statements.
 */
const idleMs = 300_000

/**
 * By default PostgreSQL compiles statements with high estimates, which takes some 10 ms here. Estimates include parts
 * that are not executed, such as the count of a long list.
 */
const withoutCompiling = { jit: 'off' }

const sessionSettings = { ...serverKeepAlive, ...withoutCompiling }

const poolConfig = (connectionString: string, max: number) => ({
  connectionString,
  max,
  connectionTimeoutMillis: mostWaitMs,
  idleTimeoutMillis: idleMs,
  ...keptAlive,
})

async function openServer(
  { url, allowsSuperuser = false, connections = 40 }: ServerLocation,
  metrics: Metrics | undefined,
): Promise<Database> {
  const isService = await prepare(url, allowsSuperuser)
  const pool = openPool(url, Math.floor(connections / 2), isService ? serviceSession : {})
  const tenants = openPool(url, Math.ceil(connections / 2), tenantSession)
  if (metrics) measurePools(metrics, [pool, tenants])
  const handleFor = handles(tenants, mostWaitMs)
  return {
    db: throughPool(pool),
    ofOrganization: (id, hidden, use = 'service') => handleFor({ sight: visibilityOf(id, hidden), use }),
    close: async () => {
      await Promise.all([pool.end(), tenants.end()])
    },
  }
}

/**
 * Checks the role, and migrates the schema if the role owns it. Returns whether another role owns the tables, which
 * then migrates: `sluice migrate`.
 */
async function prepare(url: string, allowsSuperuser: boolean): Promise<boolean> {
  const client = new pg.Client(poolConfig(url, 1))
  client.on('error', () => {}) // a lost connection fails the statement, not the process
  await client.connect().catch((cause: Error) => throwConnectionRejected(url, cause))
  try {
    await configureSession(client, sessionSettings)
    await expectOwnSessionsAt(url, client)
    const db = drizzlePostgres(client) as unknown as Db
    if (!allowsSuperuser) await expectPlainRole(db)
    if (await actsAsService(client)) {
      await configureSession(client, serviceSession)
      const schema = await checkSchemaVersion(db)
      if (schema === 'older') throw new Error(`The schema is that of an earlier version. ${migrateFirst}`)
      if (schema === 'current') await expectWholeSchema(db)
      return true
    }
    await client.query('select pg_advisory_lock($1)', [migrationLock])
    await expectFinishedRestore(db)
    await migrateServer(client, db)
    if ((await checkSchemaVersion(db)) === 'current') await expectWholeSchema(db)
    return false
  } finally {
    await client.end() // releases the lock
  }
}

/**
 * Throws an error with the reason if a service of this version cannot start on the schema yet. Changes nothing, for
 * processes that wait for another one to migrate.
 */
export async function expectMigrated(url: string): Promise<void> {
  const client = new pg.Client(poolConfig(url, 1))
  client.on('error', () => {}) // a lost connection fails the statement, not the process
  await client.connect().catch((cause: Error) => throwConnectionRejected(url, cause))
  try {
    const { rows } = await client.query(`select to_regclass('public.audit_events') is not null as "isThere"`)
    if (!rows[0].isThere) throw new Error('The database has no tables of Sluice yet.')
    if (await actsAsService(client)) await configureSession(client, serviceSession)
    const schema = await checkSchemaVersion(drizzlePostgres(client) as unknown as Db)
    if (schema === 'older') throw new Error('The schema is that of an earlier version.')
  } finally {
    await client.end()
  }
}

async function expectOwnSessionsAt(url: string, client: pg.Client): Promise<void> {
  const other = new pg.Client(poolConfig(url, 1))
  other.on('error', () => {})
  await other.connect()
  try {
    await expectOwnSessions(client, other)
  } finally {
    await other.end()
  }
}

const migrateFirst = 'Run sluice migrate with DATABASE_MIGRATION_URL before the service starts.'

async function migrateServer(client: pg.Client, db: Db): Promise<void> {
  const isThere = await client.query(`select to_regclass('drizzle.__drizzle_migrations') as name`)
  await bringUpToDate(db, () =>
    isThere.rows[0]?.name == null
      ? migratePostgres(drizzlePostgres(client), { migrationsFolder })
      : migrateOnline(client, readMigrationFiles({ migrationsFolder })),
  )
}

export function throwConnectionRejected(url: string, cause: Error): never {
  throw new Error(`DATABASE_URL: ${new URL(url).host} rejected the connection: ${cause.message}.`, { cause })
}

/** Opens a pool whose sessions have these settings before their first statement. */
function openPool(url: string, max: number, settings: SessionSettings): pg.Pool {
  const onConnect = (client: pg.ClientBase) => configureSession(client, { ...sessionSettings, ...settings })
  const pool = new pg.Pool({ ...poolConfig(url, max), onConnect })
  // Without listeners, a connection that the server closes would end the process: here an idle one …
  pool.on('error', () => {})
  // … and here one in use, between two statements of a transaction; the next statement fails. Both are replaced.
  pool.on('connect', (client) => client.on('error', () => {}))
  pool.on('connect', cacheStatementDescriptions) // first, so that counters of statements include these
  pool.on('connect', queueQueries)
  closeDeadConnections(pool, { connectionString: url })
  return pool
}

async function openEmbedded(location: { directory: string }): Promise<Database> {
  await mkdir(location.directory, { recursive: true, mode: 0o700 })
  await takeReadyMade(await realpath(location.directory)) // follows links, such as to another disk
  const { pool, close } = await openEmbeddedPool(location)
  const migrated = drizzlePostgres(pool)
  await bringUpToDate(migrated as unknown as Db, () => migratePostgres(migrated, { migrationsFolder })).catch(
    async (error) => {
      await close()
      throw error
    },
  )
  const handleFor = handles(pool, mostWaitForOneMs)
  const db = handleFor({ sight: unrestrictedVisibility, use: 'service' })
  const upkeep = startUpkeep(db)
  return {
    db,
    ofOrganization: (id, hidden, use = 'service') => handleFor({ sight: visibilityOf(id, hidden), use }),
    close: async () => {
      await upkeep.stop()
      await close()
    },
  }
}

type Handle = { sight: RowVisibility; use: ConnectionUse }

/** Returns handles on a pool by organization and use, each created once. The service itself takes no turns. */
function handles(pool: pg.Pool, waitMs: number): (handle: Handle) => Db {
  const turns = new ConnectionTurns({ max: pool.options.max, waitMs })
  return cached(
    ({ sight, use }: Handle) => `${use} ${keyOf(sight)}`,
    ({ sight, use }) => {
      const takeTurn: TakeTurn =
        sight === unrestrictedVisibility
          ? async () => () => {}
          : () => turns.take(use, sight.organizationId, requestWaits())
      return throughPool(new OrganizationPool(pool, sight, takeTurn).asPool())
    },
  )
}

/** Migrates, and explains the remedy after a failure. */
async function bringUpToDate(db: Db, migrate: () => Promise<void>): Promise<void> {
  await migrate().catch((error: Error) => {
    // The message quotes the SQL statement; the database's own message is in `cause`.
    const { message, code } = (error.cause ?? error) as Error & { code?: string }
    const remedy = code === insufficientPrivilege ? ` ${rightsOfOwner}` : ''
    throw new Error(`The database's schema cannot be brought up to date: ${message}.${remedy}`, { cause: error })
  })
  if ((await checkSchemaVersion(db)) === 'current') await storeOldestCompatible(db, migrationsFolder)
}

/**
 * Reports whether the schema is older, current, or of a later version that this one is compatible with, as during an
 * upgrade. Throws if it is incompatible.
 */
export async function checkSchemaVersion(db: Db): Promise<'older' | 'current' | 'later'> {
  const known = readMigrationFiles({ migrationsFolder }).at(-1)?.folderMillis ?? 0
  const [newest] = await db.select({ at: sql`max(created_at)` }).from(sql`drizzle.__drizzle_migrations`)
  const at = Number(newest?.at)
  if (at <= known) return at === known ? 'current' : 'older'
  const oldest = await readOldestCompatible(db)
  if (oldest !== undefined && known >= oldest) return 'later'
  const remedy = 'Start the later version, or put a copy back that was made before it ran.'
  throw new Error(`The database was written by a later version of Sluice than this one. ${remedy}`)
}

const insufficientPrivilege = '42501'
const rightsOfOwner =
  'The user of DATABASE_URL must own the database and, at the first start, be allowed to create roles (CREATEROLE).'
