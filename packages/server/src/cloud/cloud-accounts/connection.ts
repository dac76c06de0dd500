import { and, eq, sql } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { prepared } from '../../platform/db/prepared.ts'
import type { CloudAccount } from '../adapter/access.ts'
import { type CloudAccountRow, cloudAccounts } from './tables.ts'

const byId = prepared((db) =>
  db
    .select()
    .from(cloudAccounts)
    .where(
      and(
        eq(cloudAccounts.organizationId, sql.placeholder('organizationId')),
        eq(cloudAccounts.id, sql.placeholder('id')),
      ),
    )
    .prepare('find_connection'),
)

/** The organization's way into one of its connected accounts; undefined while it is not connected. */
export async function findCloudConnection(
  db: Db,
  organizationId: string,
  id: string,
): Promise<CloudAccount | undefined> {
  const [row] = await byId(db).execute({ organizationId, id })
  return row && connectionOf(row)
}

const byNumber = prepared((db) =>
  db
    .select()
    .from(cloudAccounts)
    .where(
      and(
        eq(cloudAccounts.organizationId, sql.placeholder('organizationId')),
        eq(cloudAccounts.cloudId, sql.placeholder('cloudId')),
      ),
    )
    .prepare('find_connection_by_number'),
)

/** The organization's connected account with this twelve-digit number. */
export async function findConnectionByNumber(
  db: Db,
  organizationId: string,
  cloudId: string,
): Promise<CloudAccount | undefined> {
  const rows = await byNumber(db).execute({ organizationId, cloudId })
  return rows.map(connectionOf).find((connection) => connection !== undefined)
}

/** The way into an account; undefined while it is not connected. */
export function connectionOf({
  id,
  organizationId,
  status,
  cloudArn,
  externalId,
}: CloudAccountRow): CloudAccount | undefined {
  if (status !== 'CONNECTED' || cloudArn === null) return undefined
  return { id, organizationId, roleArn: cloudArn, externalId }
}
