import { existsSync } from 'node:fs'
import { access, constants, statfs } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { listSharedResources } from '@sluice/server/delivery/deployments/store/shared-resources'
import { findLastBackup } from '@sluice/server/interface/backup-reports/store'
import { countChannels, findStalled } from '@sluice/server/interface/metrics/store'
import type { Config } from '@sluice/server/platform/config/settings'
import type { Keys } from '@sluice/server/platform/crypto/keys'
import { lackOfKeys } from '@sluice/server/platform/crypto/known-keys'
import { readEncryptionKey } from '@sluice/server/platform/data-dir/encryption-key'
import { encryptionKeysOf } from '@sluice/server/platform/data-dir/keys'
import { DirectoryInUse } from '@sluice/server/platform/data-dir/lock'
import { openDataDir } from '@sluice/server/platform/data-dir/open'
import { maxClockOffsetMs, measureClockOffset } from '@sluice/server/platform/db/clock-offset'
import { locationOf } from '@sluice/server/platform/db/location'
import { databaseExists, inspectDatabase, stateOf } from '@sluice/server/platform/db/look'
import { expectFinishedRestore, expectWholeSchema } from '@sluice/server/platform/db/migrations/expected-schema'
import { checkSchemaVersion, type Db } from '@sluice/server/platform/db/open'
import { ownsAuditLog } from '@sluice/server/platform/db/service-role'
import { expectPlainRole } from '@sluice/server/platform/db/superuser'
import { asService } from '../as-service.ts'
import { type Finding, finding, ok, problem, warning } from './finding.ts'

/** Checks the data directory, the database, its encryption key and its clock. */
export async function examineData(config: Config): Promise<Finding[]> {
  const directory = resolve(config.dataDir)
  const ofDirectory = await finding('data directory', () => examineDirectory(directory))
  if (config.databaseUrl === undefined && ofDirectory.verdict !== 'ok') return [ofDirectory]
  return [ofDirectory, ...(await examineDatabase(config, directory))]
}

/** Minimum free space in bytes; logs, states and engine messages soon fill less. */
const scarce = 2 ** 30

async function examineDirectory(directory: string) {
  if (!existsSync(directory)) {
    await access(existing(directory), constants.W_OK)
    return ok(`${directory} is made at the first start`)
  }
  await access(directory, constants.R_OK | constants.W_OK)
  const { bavail, bsize } = await statfs(directory)
  const free = bavail * bsize
  const gib = (free / 2 ** 30).toFixed(1)
  return free < scarce
    ? warning(`${directory} has ${gib} GiB left`, 'Make room, or move it to a larger disk and set SLUICE_DATA_DIR.')
    : ok(`${directory}, ${gib} GiB free`)
}

/** Returns the nearest existing parent folder. */
const existing = (path: string): string => (existsSync(path) ? path : existing(dirname(path)))

async function examineDatabase(config: Config, directory: string): Promise<Finding[]> {
  const location = locationOf(config, join(directory, 'database'))
  if (!databaseExists(location)) return [await finding('database', () => ok('embedded; it is made at the first start'))]
  try {
    const findings: Finding[] = []
    await whileHeld(config, directory, () =>
      inspectDatabase(location, async (db) => {
        findings.push(await finding('database', () => examineSchema(db, config)))
        findings.push(await finding('encryption key', () => examineKey(db, config, directory)))
        findings.push(await finding('clock', () => examineClock(db)))
        findings.push(await finding('work', () => examineWork(db)))
        findings.push(await finding('notifications', () => examineNotifications(db)))
        findings.push(await finding('shared resources', () => examineSharedResources(db)))
        findings.push(await finding('backup', () => examineBackup(db)))
        findings.push(await finding('audit log', () => examineAuditLog(db, config)))
      }),
    )
    return findings
  } catch (error) {
    if (error instanceof DirectoryInUse) return [inUse]
    return [await finding('database', () => Promise.reject(error))]
  }
}

/** Finding for an embedded database that a running service has locked. The service's own readiness covers it. */
const inUse: Finding = {
  check: 'database',
  verdict: 'ok',
  says: 'embedded, and in use by a running service: see its port below; stop it for more checks',
}

async function whileHeld(config: Config, directory: string, work: () => Promise<void>): Promise<void> {
  if (config.databaseUrl !== undefined) return work()
  const held = await openDataDir(directory)
  await work().finally(() => held.close())
}

async function examineSchema(db: Db, { databaseUrl, databaseSuperuser }: Config) {
  const { version, hasSchema } = await stateOf(db)
  const what = databaseUrl === undefined ? 'embedded' : `PostgreSQL ${version} at ${new URL(databaseUrl).host}`
  if (databaseUrl !== undefined && databaseSuperuser !== 'allowed') await expectPlainRole(db)
  await expectFinishedRestore(db)
  if (!hasSchema) return ok(`${what}; its tables are made at the first start`)
  const schema = await checkSchemaVersion(db)
  if (schema === 'later') return ok(`${what}; its schema is that of a later version, with which this one can live`)
  if (schema === 'older') return ok(`${what}; its schema is brought up to date at the next start`)
  await expectWholeSchema(db)
  return ok(what)
}

async function examineKey(db: Db, config: Config, directory: string) {
  const isConfigured = config.encryptionKeys !== undefined || config.encryptionKey !== undefined
  if (!isConfigured && (await readEncryptionKey(directory)) === undefined) {
    return config.databaseUrl === undefined
      ? ok('made at the first start')
      : warning(
          'made at the first start, in the data directory',
          'Set SLUICE_ENCRYPTION_KEYS where several processes share the database.',
        )
  }
  const where = isConfigured ? 'configured' : 'kept in the data directory'
  const lack = (await stateOf(db)).hasSchema ? await lackOfKeys(db, await keysOf(config, directory)) : undefined
  return lack === undefined ? ok(where) : problem(lack)
}

const keysOf = (config: Config, directory: string): Promise<Keys> =>
  encryptionKeysOf(config, async () => (await readEncryptionKey(directory)) ?? Buffer.alloc(32))

/** Checks who owns the audit log's tables, because the owner can rewrite it. */
async function examineAuditLog(db: Db, { databaseUrl }: Config) {
  const onlyHashes = 'only the hash chain and the exported heads show that it was changed'
  if (databaseUrl === undefined) return ok(`embedded: ${onlyHashes}`)
  const owns = await ownsAuditLog(db)
  if (owns === undefined) return ok('made at the first start')
  if (!owns) return ok('the role in DATABASE_URL cannot change it')
  return warning(
    `the role in DATABASE_URL owns it: ${onlyHashes}`,
    'Let another role own the tables, and name it in DATABASE_MIGRATION_URL: docs/reference/production.md, "Database roles".',
  )
}

/** Clock offset in milliseconds that is reported. Beyond `maxClockOffsetMs`, workers accept no work. */
const noticedMs = 2_000

async function examineClock(db: Db) {
  const { offsetMs } = await measureClockOffset(db, () => new Date())
  const offMs = Math.abs(offsetMs)
  const says = `${(offMs / 1_000).toFixed(1)} s from the database's`
  if (offMs < noticedMs) return ok(says)
  const remedy = 'Let both machines take their time from NTP.'
  if (offMs < maxClockOffsetMs) return warning(says, remedy)
  return problem(`${says}: a worker that shares an engine with others accepts no work here`, remedy)
}

/** Age in seconds at which waiting work counts as stalled. */
const stalledSeconds = 30

/** Checks for stalled work by this machine's clock, which an earlier check compares with the database's. */
async function examineWork(db: Db) {
  if ((await schemaOf(db)) !== 'current') return ok('checked when the schema is up to date')
  const found = await asService(db, (tx) => findStalled(tx, new Date()))
  const stalled = found.filter(({ seconds }) => seconds > stalledSeconds)
  if (stalled.length === 0) return ok('no record waits for a worker')
  const each = stalled.map(({ kind, seconds }) => `${kind} for ${Math.round(seconds)} s`).join(', ')
  return problem(
    `records wait for a worker: ${each}`,
    'Start a process with the role worker, or look at the log and at /health/ready of those that run: docs/reference/alerts.md, SluiceWorkStalled.',
  )
}

async function examineNotifications(db: Db) {
  if ((await schemaOf(db)) !== 'current') return ok('checked when the schema is up to date')
  const { enabled, failing } = await asService(db, countChannels)
  if (failing === 0) return ok(`${enabled} channels, none of which fails`)
  const says = `${failing} of ${enabled} channels have not delivered since something failed`
  return warning(says, 'Where many fail, look at the way out of the network, and at SLUICE_SMTP_URL.')
}

/** Looks for releases of several instances to one resource, also before an upgrade migrates the database. */
async function examineSharedResources(db: Db) {
  if (!(await stateOf(db)).hasSchema) return ok('checked after the first start')
  const shared = await asService(db, listSharedResources)
  if (shared.length === 0) return ok('no two module instances release to the same resource')
  const each = shared.map(({ resource, moduleInstanceIds }) => `${resource} (${moduleInstanceIds.join(', ')})`)
  return warning(
    `several module instances release to the same resource: ${each.join('; ')}`,
    'In an organization with release gates, only the instance listed first can. Delete the others: docs/reference/release-gates.md.',
  )
}

/** Maximum age of a backup in milliseconds: a day plus its duration, as in the alert. */
const backupMs = 26 * 3_600_000

async function examineBackup(db: Db) {
  if ((await schemaOf(db)) !== 'current') return ok('checked when the schema is up to date')
  const last = await asService(db, findLastBackup)
  const remedy = 'Let the job that makes backups run `sluice report-backup` at its end: docs/how-to/back-up.md.'
  if (last === undefined) return warning('no backup was ever reported', remedy)
  const says = `the last one ended at ${last.toISOString()}`
  return Date.now() - last.getTime() < backupMs ? ok(says) : warning(says, remedy)
}

const schemaOf = async (db: Db) => ((await stateOf(db)).hasSchema ? checkSchemaVersion(db) : 'none')
