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
import { tellOldestThatLives, toldOldestThatLives } from './migrations/lives-with.ts'
import { migrateBeside } from './migrations/migrate-beside.ts'
import { migrationsFolder } from './migrations/migrations-folder.ts'
import { takeReadyMade } from './migrations/ready-made.ts'
import { knowingStatements } from './named-statements.ts'
import {
  cached,
  everything,
  keyOf,
  PoolWithSight,
  type Sight,
  sightOf,
  type TakeTurn,
  tenantSession,
} from './organization.ts'
import { actsAsService, serviceSession } from './service-role.ts'
import { expectPlainRole } from './superuser.ts'
import { type StatusChange, tellingChanges } from './told.ts'
import { startUpkeep } from './upkeep.ts'
import { endVanished, keptAlive, serverKeepAlive } from './vanished.ts'

/** The database or a transaction in it: one type for PostgreSQL and for the embedded PGlite. */
export type Db = PgDatabase<PgQueryResultHKT, Record<string, never>>

export type Database = {
  /** Sees every organization: for what comes before one is known. docs/architecture.md lists all that is handed it. */
  db: Db
  /**
   * Sees one organization: the database itself withholds the rows of all others, and those in the projects and
   * environments that are `hidden` from whom it is for, whatever the query says. Connections are shared by their use.
   */
  ofOrganization(organizationId: string, hidden?: ReadonlySet<string>, use?: ConnectionUse): Db
  close(): Promise<void>
}

/** Where the data lives: a PostgreSQL server, or a directory for the embedded database. */
export type DatabaseLocation = ServerLocation | { directory: string }

type ServerLocation = {
  url: string
  allowsSuperuser?: boolean
  /** So many connections at the most; half of them for requests of organizations. */
  connections?: number
}

/**
 * Opens the database and brings its schema up to date. Several processes may start at once: on PostgreSQL an advisory
 * lock lets one of them migrate while the others wait.
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
    db: tellingChanges(database.db, onChange),
    ofOrganization: (...asked) => tellingChanges(database.ofOrganization(...asked), onChange),
  }
}

// Any number no other program is likely to lock; it only has to be the same in every Sluice process.
const migrationLock = 5_815_721_042n

/** As long as whoever asks may wait: for one of many connections, and for the only one of the embedded database. */
const mostWaitMs = 10_000
const mostWaitForOneMs = 60_000

/**
 * So long a connection is kept that nobody wants. One takes some 9 ms of the processor to make, both ends together, and
 * then what was prepared is prepared anew. Milliseconds.
 */
const idleMs = 300_000

/**
 * A server that is set to (PostgreSQL's own default) compiles a statement first whose estimate is high, for some 10 ms
 * here. Estimates count what is not asked for as well, such as the count of a long list that is kept elsewhere.
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
    ofOrganization: (id, hidden, use = 'service') => handleFor({ sight: sightOf(id, hidden), use }),
    close: async () => {
      await Promise.all([pool.end(), tenants.end()])
    },
  }
}

/**
 * Looks who we are there, and brings the schema up to date where that is ours. Returns whether the tables are those of
 * another role, which does that: `sluice migrate`.
 */
async function prepare(url: string, allowsSuperuser: boolean): Promise<boolean> {
  const client = new pg.Client(poolConfig(url, 1))
  client.on('error', () => {}) // a connection that ends fails the statement, not the process
  await client.connect().catch((cause: Error) => notLetIn(url, cause))
  try {
    await configureSession(client, sessionSettings)
    await expectOwnSessionsAt(url, client)
    const db = drizzlePostgres(client) as unknown as Db
    if (!allowsSuperuser) await expectPlainRole(db)
    if (await actsAsService(client)) {
      await configureSession(client, serviceSession)
      const schema = await expectNoLater(db)
      if (schema === 'older') throw new Error(`The schema is that of an earlier version. ${migrateFirst}`)
      if (schema === 'current') await expectWholeSchema(db)
      return true
    }
    await client.query('select pg_advisory_lock($1)', [migrationLock])
    await expectFinishedRestore(db)
    await migrateServer(client, db)
    if ((await expectNoLater(db)) === 'current') await expectWholeSchema(db)
    return false
  } finally {
    await client.end() // which gives the lock back
  }
}

/**
 * Throws an error with the reason if a service of this version cannot start on the schema yet. Changes nothing: for
 * processes that wait until another one has brought the schema up to date.
 */
export async function expectMigrated(url: string): Promise<void> {
  const client = new pg.Client(poolConfig(url, 1))
  client.on('error', () => {}) // a connection that ends fails the statement, not the process
  await client.connect().catch((cause: Error) => notLetIn(url, cause))
  try {
    const { rows } = await client.query(`select to_regclass('public.audit_events') is not null as "isThere"`)
    if (!rows[0].isThere) throw new Error('The database has no tables of Sluice yet.')
    if (await actsAsService(client)) await configureSession(client, serviceSession)
    const schema = await expectNoLater(drizzlePostgres(client) as unknown as Db)
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
      : migrateBeside(client, readMigrationFiles({ migrationsFolder })),
  )
}

export function notLetIn(url: string, cause: Error): never {
  throw new Error(`DATABASE_URL: ${new URL(url).host} does not let us in: ${cause.message}.`, { cause })
}

/** A pool whose sessions also have these settings before anything is asked in them. */
function openPool(url: string, max: number, settings: SessionSettings): pg.Pool {
  const onConnect = (client: pg.ClientBase) => configureSession(client, { ...sessionSettings, ...settings })
  const pool = new pg.Pool({ ...poolConfig(url, max), onConnect })
  // Without listeners, a connection that the server closes would end the process: here one that is idle …
  pool.on('error', () => {})
  // … and here one that is in use, between two statements of a transaction; the next statement fails. Both are
  // replaced.
  pool.on('connect', (client) => client.on('error', () => {}))
  pool.on('connect', knowingStatements) // first, so that whoever counts statements counts these as well
  pool.on('connect', queueQueries)
  endVanished(pool, { connectionString: url })
  return pool
}

async function openEmbedded(location: { directory: string }): Promise<Database> {
  await mkdir(location.directory, { recursive: true, mode: 0o700 })
  await takeReadyMade(await realpath(location.directory)) // also behind a link, such as one to another disk
  const { pool, close } = await openEmbeddedPool(location)
  const migrated = drizzlePostgres(pool)
  await bringUpToDate(migrated as unknown as Db, () => migratePostgres(migrated, { migrationsFolder })).catch(
    async (error) => {
      await close()
      throw error
    },
  )
  const handleFor = handles(pool, mostWaitForOneMs)
  const db = handleFor({ sight: everything, use: 'service' })
  const upkeep = startUpkeep(db)
  return {
    db,
    ofOrganization: (id, hidden, use = 'service') => handleFor({ sight: sightOf(id, hidden), use }),
    close: async () => {
      await upkeep.stop()
      await close()
    },
  }
}

type Handle = { sight: Sight; use: ConnectionUse }

/** Handles on a pool by what they show and are for, each made once. The service itself takes no turns. */
function handles(pool: pg.Pool, waitMs: number): (handle: Handle) => Db {
  const turns = new ConnectionTurns({ max: pool.options.max, waitMs })
  return cached(
    ({ sight, use }: Handle) => `${use} ${keyOf(sight)}`,
    ({ sight, use }) => {
      const takeTurn: TakeTurn =
        sight === everything ? async () => () => {} : () => turns.take(use, sight.organizationId, requestWaits())
      return throughPool(new PoolWithSight(pool, sight, takeTurn).asPool())
    },
  )
}

/** Migrates, and says what to mend where that is not possible. */
async function bringUpToDate(db: Db, migrate: () => Promise<void>): Promise<void> {
  await migrate().catch((error: Error) => {
    // What was thrown quotes a statement; what the database said to it is the cause.
    const { message, code } = (error.cause ?? error) as Error & { code?: string }
    const remedy = code === insufficientPrivilege ? ` ${rightsOfOwner}` : ''
    throw new Error(`The database's schema cannot be brought up to date: ${message}.${remedy}`, { cause: error })
  })
  if ((await expectNoLater(db)) === 'current') await tellOldestThatLives(db, migrationsFolder)
}

/**
 * Whether the schema is the one that this version makes, or one of a later version with which this one can live, as
 * while one process after the other is replaced; throws where it cannot.
 */
export async function expectNoLater(db: Db): Promise<'older' | 'current' | 'later'> {
  const known = readMigrationFiles({ migrationsFolder }).at(-1)?.folderMillis ?? 0
  const [newest] = await db.select({ at: sql`max(created_at)` }).from(sql`drizzle.__drizzle_migrations`)
  const at = Number(newest?.at)
  if (at <= known) return at === known ? 'current' : 'older'
  const oldest = await toldOldestThatLives(db)
  if (oldest !== undefined && known >= oldest) return 'later'
  const remedy = 'Start the later version, or put a copy back that was made before it ran.'
  throw new Error(`The database was written by a later version of Sluice than this one. ${remedy}`)
}

const insufficientPrivilege = '42501'
const rightsOfOwner =
  'The user of DATABASE_URL must own the database and, at the first start, be allowed to create roles (CREATEROLE).'
