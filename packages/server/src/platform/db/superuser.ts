import { sql } from './drizzle.ts'
import type { Db } from './open.ts'

/**
 * Throws if the role bypasses isolation: a superuser, or a role with BYPASSRLS, sees all organizations, and a fault
 * could do anything on the server. The embedded database has no other role.
 */
export async function expectPlainRole(db: Db): Promise<void> {
  const { rows } = (await db.execute(
    sql`select rolname as name, rolsuper as "isSuperuser", rolbypassrls as "bypassesWalls" from pg_roles where rolname = current_user`,
  )) as unknown as { rows: { name: string; isSuperuser: boolean; bypassesWalls: boolean }[] }
  const [role] = rows
  if (!role?.isSuperuser && !role?.bypassesWalls) return
  const what = role.isSuperuser ? 'is a superuser' : 'has BYPASSRLS'
  throw new Error(
    `DATABASE_URL: the role ${role.name} ${what}, for which the walls between organizations do not count. ${remedy}`,
  )
}

const remedy =
  "Use one of its own (CREATE ROLE sluice LOGIN CREATEROLE PASSWORD '…', and a database that it owns), or set " +
  'SLUICE_DATABASE_SUPERUSER=allowed.'
