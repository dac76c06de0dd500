import pg from 'pg'
import { sql } from './drizzle.ts'
import type { Db } from './open.ts'

/**
 * Role of the service if another role owns the tables: it sees every row, and cannot change the schema or written lines
 * of the audit log. The owner grants access (`grantServiceAccess`).
 */
const role = 'sluice_service'

/** Settings with which a connection uses the role from its start. */
export const serviceSession = { role }

/**
 * Grants on tables that the service reads and appends to, but never changes: a trigger of the owner links the audit
 * chain.
 */
const rights = [
  `grant usage on schema public, drizzle to ${role}`,
  `grant select on all tables in schema drizzle to ${role}`,
  `grant select, insert, update, delete on all tables in schema public to ${role}`,
  `grant usage, select on all sequences in schema public to ${role}`,
  `revoke update, delete on audit_events from ${role}`,
  `revoke insert, update, delete on audit_chain, audit_heads from ${role}`,
  `grant update (exported_sequence) on audit_heads to ${role}`,
]

/** Timeout of the lock that policies need on a table. */
const lockWithin = '10s'

/** Lock of concurrent grants, which PostgreSQL rejects on one table. The number must be the same in every process. */
const grantsLock = 5_815_721_043n

/**
 * Grants the role of `serviceUrl` access to the tables of the role of `ownerUrl`, including new ones. Idempotent, also
 * for concurrent processes.
 */
export async function grantServiceAccess(ownerUrl: string, serviceUrl: string): Promise<void> {
  const login = decodeURIComponent(new URL(serviceUrl).username)
  const owner = new pg.Client({ connectionString: ownerUrl })
  await owner.connect()
  try {
    await owner.query('select pg_advisory_lock($1)', [grantsLock])
    await owner.query(`set lock_timeout = '${lockWithin}'`)
    await expectAnotherRole(owner, login)
    const { rowCount } = await owner.query('select from pg_roles where rolname = $1', [role])
    if (rowCount === 0) await owner.query(`create role ${role} nologin`)
    for (const right of rights) await owner.query(right)
    for (const table of await tablesWithoutPolicy(owner)) {
      await owner.query(`create policy service on ${table} to ${role} using (true)`)
    }
    await owner.query(`grant ${role}, sluice_tenant, sluice_audit_retention to ${pg.escapeIdentifier(login)}`)
  } finally {
    await owner.end()
  }
}

async function expectAnotherRole(owner: pg.Client, login: string): Promise<void> {
  const { rows } = await owner.query(
    `select current_user = $1 as "isSame", exists (select from pg_roles where rolname = $1) as "isThere"`,
    [login],
  )
  const [{ isSame, isThere }] = rows
  if (isSame) throw new Error(`DATABASE_MIGRATION_URL and DATABASE_URL name the same role, ${login}. ${twoRoles}`)
  if (!isThere) throw new Error(`DATABASE_URL: there is no role ${login}. ${twoRoles}`)
}

const twoRoles =
  "Make one for the service that owns nothing: CREATE ROLE sluice_app LOGIN PASSWORD '…', and name it in DATABASE_URL."

async function tablesWithoutPolicy(owner: pg.Client): Promise<string[]> {
  const { rows } = await owner.query<{ name: string }>(
    `select oid::regclass::text as name from pg_class
     where relnamespace = 'public'::regnamespace and relrowsecurity
       and not exists (select from pg_policy where polrelid = pg_class.oid and polname = 'service') order by 1`,
  )
  return rows.map(({ name }) => name)
}

/** Reports whether the role of a connection works on tables of another one. Throws if it has no access. */
export async function actsAsService(client: pg.ClientBase): Promise<boolean> {
  const { rows } = await client.query<{ name: string; owns: boolean; isLetIn: boolean }>(
    `select current_user as name, pg_has_role(relowner, 'member') as owns, exists (
       select from pg_roles service
       where rolname = '${role}' and pg_has_role(service.oid, 'member')
         and has_table_privilege(service.oid, pg_class.oid, 'select')) as "isLetIn"
     from pg_class where oid = to_regclass('public.audit_events')`,
  )
  const [table] = rows
  if (!table || table.owns) return false
  if (!table.isLetIn) throw new Error(`DATABASE_URL: the role ${table.name} may not use the tables. ${remedy}`)
  return true
}

/** Reports whether the role of a connection can change the audit log; undefined if there is none yet. */
export async function ownsAuditLog(db: Db): Promise<boolean | undefined> {
  const { rows } = (await db.execute(
    sql`select pg_has_role(relowner, 'member') as owns from pg_class where oid = to_regclass('public.audit_events')`,
  )) as unknown as { rows: { owns: boolean }[] }
  return rows[0]?.owns
}

const remedy = 'Run sluice migrate with DATABASE_MIGRATION_URL, which names the role that owns them.'
