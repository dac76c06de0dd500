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

/** A way into an account, and whether that is marked as one for production. */
export type ConnectedAccount = CloudAccount & { isProduction: boolean }

/** The organization's way into one of its connected accounts; undefined before it is connected. */
export async function findCloudConnection(
  db: Db,
  organizationId: string,
  id: string,
): Promise<ConnectedAccount | undefined> {
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

/** The organization's connected account with this twelve-digit number; of several, one that is known to let us in. */
export async function findConnectionByNumber(
  db: Db,
  organizationId: string,
  cloudId: string,
): Promise<ConnectedAccount | undefined> {
  const rows = await byNumber(db).execute({ organizationId, cloudId })
  const wellFirst = [...rows.filter(isWell), ...rows.filter((row) => !isWell(row))]
  return wellFirst.map(connectionOf).find((connection) => connection !== undefined)
}

const isWell = ({ status }: CloudAccountRow): boolean => status === 'CONNECTED'

/**
 * The way into an account; undefined before it is connected. One that did not let us in at the last check may do so
 * again by now: the cloud itself says so better than we, and no release that runs is given up for a check.
 */
export function connectionOf(account: CloudAccountRow): ConnectedAccount | undefined {
  const { id, organizationId, status, cloudArn, externalId, isProduction } = account
  if (status === 'AWAITING_CONNECTION' || cloudArn === null) return undefined
  return { id, organizationId, roleArn: cloudArn, externalId, isProduction }
}
