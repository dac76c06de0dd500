import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { everyCase } from '../../../../../testing/every-case.ts'
import { serviceAuthor } from '../../identity/audit-events/author.ts'
import { createSignHead, exportHeads } from '../../identity/audit-events/heads.ts'
import { recordChange } from '../../identity/audit-events/record.ts'
import { removeAuditEvents } from '../../identity/audit-events/retention.ts'
import { auditEvents } from '../../identity/audit-events/tables.ts'
import { backUp, restore } from '../../interface/moving/backup.ts'
import { createEmptyDatabase, createTestDatabase } from '../../testing/database.ts'
import { startWorld } from '../../testing/world.ts'
import { createKeys } from '../crypto/keys.ts'
import { newId } from '../ids.ts'
import { eq, sql } from './drizzle.ts'
import { type Database, openDatabase } from './open.ts'
import { grantServiceAccess } from './service-role.ts'

const server = process.env.TEST_DATABASE_URL
const hasPgDump = await promisify(execFile)('pg_dump', ['--version']).then(
  () => true,
  () => false,
)

describe.skipIf(server === undefined)('where another role owns the tables [PostgreSQL]', () => {
  const login = `sluice_app_${randomBytes(6).toString('hex')}`
  const ownerOf: { url: string; drop: () => Promise<void> } = { url: '', drop: async () => {} }
  let serviceUrl: string
  let database: Database
  beforeAll(async () => {
    Object.assign(ownerOf, await createTestDatabase())
    serviceUrl = asLogin(ownerOf.url)
    await asOwner(`create role ${login} login password 'app'`)
    await grantServiceAccess(ownerOf.url, serviceUrl)
    database = await openDatabase({ url: serviceUrl })
  })
  afterAll(async () => {
    await database.close()
    await asOwner(`drop role ${login}`)
    await ownerOf.drop()
  })

  function asLogin(url: string): string {
    const address = new URL(url)
    address.username = login
    address.password = 'app'
    return address.href
  }

  async function asOwner(...statements: string[]): Promise<void> {
    const client = new pg.Client({ connectionString: ownerOf.url })
    await client.connect()
    for (const statement of statements) await client.query(statement)
    await client.end()
  }

  const record = async (organizationId: string, createdAt?: Date) => {
    const line = { action: 'a.b', resourceType: 'a', resourceId: 'a_1' }
    if (!createdAt) return recordChange(database.db, serviceAuthor(organizationId), line)
    await database.db
      .insert(auditEvents)
      .values({ id: newId('aud'), ...serviceAuthor(organizationId), ...line, createdAt })
  }

  const attempts: [string, string][] = [
    ['changes an event', `update audit_events set actor_name = 'Nobody'`],
    ['removes an event', `delete from audit_events`],
    ['empties the log', `truncate audit_events`],
    ['lets its trigger rest', `alter table audit_events disable trigger audit_events_stay`],
    ['drops its trigger', `drop trigger audit_events_stay on audit_events`],
    [
      'puts another function in the place of one',
      `create or replace function audit_events_stay() returns trigger language plpgsql as $$ begin return new; end $$`,
    ],
    ['has triggers rest', `set session_replication_role = replica`],
    ['changes a link', `update audit_chain set hash = ''`],
    ['adds a link', `insert into audit_chain values ('org_1', 99, 'aud_1', '', '')`],
    ['removes a link', `delete from audit_chain`],
    ['moves the head back', `update audit_heads set sequence = 1`],
    ['removes the head', `delete from audit_heads`],
    ['owns the tables', `reassign owned by sluice to ${login}`],
    ['makes itself the owner', `alter table audit_events owner to ${login}`],
    ['adds a column', `alter table organizations add column x text`],
  ]

  test(
    'the service is refused whoever',
    everyCase(attempts, async (_, statement) => {
      await record(newId('org'))
      for (const role of ['sluice_service', login, 'sluice_tenant']) {
        const attempt = database.db.transaction(async (tx) => {
          await tx.execute(sql.raw(`set local role ${role}`))
          await tx.execute(sql.raw(statement))
        })
        await expect(attempt, role).rejects.toMatchObject({ cause: { code: expect.stringMatching(/^(42501|23001)$/) } })
      }
    }),
  )

  test('retention removes old lines, and cannot remove those of the last 30 days', async () => {
    const organizationId = newId('org')
    await record(organizationId, new Date(Date.now() - 40 * 86_400_000))
    await record(organizationId)
    await removeAuditEvents(database.db, {
      author: serviceAuthor(organizationId),
      before: new Date(Date.now() - 31 * 86_400_000),
    })
    const left = () => database.db.$count(auditEvents, eq(auditEvents.organizationId, organizationId))
    expect(await left()).toBe(2) // the young one, and the one about the removal
    for (const table of ['audit_events', 'audit_chain']) {
      const attempt = database.db.transaction(async (tx) => {
        await tx.execute(sql`set local role sluice_audit_retention`)
        await tx.execute(sql.raw(`delete from ${table} where organization_id = '${organizationId}'`))
      })
      await expect(attempt, table).rejects.toMatchObject({ cause: { code: '23001' } })
    }
    expect(await left()).toBe(2)
  })

  test('all else that the service does is done: a release, a run, a walk of the audit log', async () => {
    const world = await startWorld({ env: { DATABASE_URL: serviceUrl } })
    onTestFinished(() => world[Symbol.asyncDispose]())
    const org = await world.organization()
    const { moduleInstanceId } = await org.service(null)
    const { id } = await org.deploy(moduleInstanceId, 'shop/app:2')
    await org.untilStatus(id, 'SUCCESS')
    const run = await org.pipelines.run([{ id: 'say', type: 'command', with: { argv: ['echo', 'hello'] } }])
    expect(await org.pipelines.untilOver(run.id)).toMatchObject({ status: 'SUCCESS' })
    expect(await org.client.done('GET', '/audit-events?action=deployments.create')).toMatchObject([
      { resourceId: id, chain: { sequence: expect.any(Number) } },
    ])
    const log = pino({ level: 'silent' })
    const signHead = createSignHead(createKeys([randomBytes(32)]))
    await exportHeads({ db: database.db, signHead, archive: undefined, clock: () => new Date(), log })
  })

  test('a backup by the owner is restored with the same walls and the same audit log', async ({ skip }) => {
    skip(!hasPgDump, 'skipped: pg_dump')
    const organizationId = newId('org')
    await record(organizationId)
    const folder = await mkdtemp(join(tmpdir(), 'sluice-backup-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    const file = join(folder, 'sluice.dump')
    await backUp(ownerOf.url, file)
    const { url: restoredUrl = '', drop } = await createEmptyDatabase()
    onTestFinished(drop)
    await restore(file, restoredUrl)
    await grantServiceAccess(restoredUrl, asLogin(restoredUrl))

    const restored = await openDatabase({ url: asLogin(restoredUrl) })
    onTestFinished(() => restored.close())
    expect(await restored.ofOrganization(organizationId).$count(auditEvents)).toBe(1)
    expect(await restored.ofOrganization(newId('org')).$count(auditEvents)).toBe(0)
    for (const [, statement] of attempts) {
      const attempt = restored.db.transaction((tx) => tx.execute(sql.raw(statement)))
      await expect(attempt, statement).rejects.toMatchObject({
        cause: { code: expect.stringMatching(/^(42501|23001)$/) },
      })
    }
  })

  test('a table of a later version is open to it once the schema was brought up to date again', async () => {
    await asOwner('create table later (organization_id text)', `select wall_off('later')`)
    onTestFinished(() => asOwner('drop table later'))
    const look = () => database.db.execute(sql`insert into later values ('org_1') returning organization_id`)
    await expect(look()).rejects.toMatchObject({ cause: { code: '42501' } })
    await grantServiceAccess(ownerOf.url, serviceUrl)
    expect(await look()).toMatchObject({ rows: [{ organization_id: 'org_1' }] })
  })

  test('several processes of a release may let it in at the same time', async () => {
    await asOwner('revoke all on all tables in schema public from sluice_service')
    await Promise.all(Array.from({ length: 6 }, () => grantServiceAccess(ownerOf.url, serviceUrl)))
    await expect(database.db.$count(auditEvents), 'see grantServiceAccess').resolves.toBeGreaterThanOrEqual(0)
  })

  test('a role without access gets an error with the remedy, and so does a service on an older schema', async () => {
    const other = await createTestDatabase()
    onTestFinished(other.drop)
    await expect(openDatabase({ url: asLogin(other.url ?? '') })).rejects.toThrow(
      'Run sluice migrate with DATABASE_MIGRATION_URL',
    )
    await asOwner(
      'update drizzle.__drizzle_migrations set created_at = created_at - 1 where created_at = (select max(created_at) from drizzle.__drizzle_migrations)',
    )
    onTestFinished(() =>
      asOwner(
        'update drizzle.__drizzle_migrations set created_at = created_at + 1 where created_at = (select max(created_at) from drizzle.__drizzle_migrations)',
      ),
    )
    await expect(openDatabase({ url: serviceUrl })).rejects.toThrow('The schema is that of an earlier version')
  })

  test('the role of the service must be another one, and be there', async () => {
    const { url = '', drop } = await createEmptyDatabase()
    onTestFinished(drop)
    await expect(grantServiceAccess(url, url)).rejects.toThrow('name the same role')
    const nobody = new URL(url)
    nobody.username = 'nobody_there'
    await expect(grantServiceAccess(url, nobody.href)).rejects.toThrow('there is no role nobody_there')
  })
})
