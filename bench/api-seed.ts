import type { Db } from '@sluice/server/platform/db/open'
import { startWorld, type TestOrganization } from '@sluice/server/testing'
import { type SQL, sql } from '../packages/server/src/platform/db/drizzle.ts'
import { encryptionKey } from './api-servers.ts'

/** Organization with the data that requests need. */
export type Seeded = {
  organizationId: string
  token: string
  deploymentIds: string[]
  moduleInstanceIds: string[]
  /** Organizations with minimal deployments, which differ only in their number. */
  few: Listed
  many: Listed
}
export type Listed = { token: string; rows: number }

/**
 * Seeds a thousand copies of a finished canary release, one module instance per POST, and two organizations with a
 * thousand and with `manyRows` short deployments.
 */
export async function seed(databaseUrl: string, manyRows: number): Promise<Seeded> {
  await using world = await startWorld({ env: { DATABASE_URL: databaseUrl, SLUICE_ENCRYPTION_KEY: encryptionKey } })
  const { db } = world
  const org = await world.organization()
  const canary = { canary_percent: 10, canary_bake_time_in_minutes: 1 }
  const { moduleInstanceId } = await org.service({ type: 'canary', bake_time_in_minutes: 1, canary })
  const { id } = await org.deploy(moduleInstanceId)
  await org.untilStatus(id, 'SUCCESS')
  await db.execute(sql`create table bare_messages (id text primary key, payload jsonb not null)`)
  await copyRows(db, 'deployments', id, 999)
  await copyRows(db, 'module_instances', moduleInstanceId, 30_000, sql`'given_id', 'copy' || n`)
  const few = await short(db, id, await world.organization(), 1_000)
  const many = await short(db, id, await world.organization(), manyRows)
  await db.execute(sql`vacuum analyze`) // as autovacuum leaves tables
  const idsOf = async (table: 'deployments' | 'module_instances') => {
    const found = await db.execute(sql`select id from ${sql.identifier(table)} where organization_id = ${org.id}`)
    return (found as unknown as { rows: { id: string }[] }).rows.map((row) => row.id)
  }
  return {
    token: org.client.token,
    organizationId: org.id,
    deploymentIds: await idsOf('deployments'),
    moduleInstanceIds: await idsOf('module_instances'),
    few,
    many,
  }
}

async function short(db: Db, from: string, { id, client }: TestOrganization, rows: number): Promise<Listed> {
  const prefix = sql`'id', 'dep_' || ${id}::text || lpad(n::text, 9, '0'), 'organization_id', ${id}::text`
  const data = sql`source.data - '{events,serviceDeploymentState,elbListenerState,deployedTaskDefinition}'::text[]`
  const release = sql`jsonb_build_object('type', source.release -> 'type')`
  await copyRows(db, 'deployments', from, rows, sql`${prefix}, 'data', ${data}, 'release', ${release}`)
  return { token: client.token, rows }
}

/** Copies a row with new ids and the members of `change`. */
async function copyRows(db: Db, table: string, from: string, count: number, change?: SQL): Promise<void> {
  const own = sql`jsonb_build_object('id', source.id || '-' || n)`
  await db.execute(sql`insert into ${sql.identifier(table)}
    select copy.* from ${sql.identifier(table)} source, generate_series(1, ${count}::int) n,
      jsonb_populate_record(source, ${own} || jsonb_build_object(${change ?? sql``})) copy
    where source.id = ${from}`)
}
