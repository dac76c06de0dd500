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

/** Access to a connected account, and whether the account is marked as production. */
export type ConnectedAccount = CloudAccount & { isProduction: boolean }

/** Returns access to the organization's account, or undefined if it was never connected. */
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

/**
 * Returns access to the organization's account with this twelve-digit number, preferring one whose connection is
 * healthy.
 */
export async function findConnectionByNumber(
  db: Db,
  organizationId: string,
  cloudId: string,
): Promise<ConnectedAccount | undefined> {
  const rows = await byNumber(db).execute({ organizationId, cloudId })
  const wellFirst = [...rows.filter(isHealthy), ...rows.filter((row) => !isHealthy(row))]
  return wellFirst.map(connectionOf).find((connection) => connection !== undefined)
}

const isHealthy = ({ status }: CloudAccountRow): boolean => status === 'CONNECTED'

/**
 * Returns access to an account, or undefined if it was never connected. Ignores a failed check, because the role may
 * work again by now and a running release must not fail because of a check.
 */
export function connectionOf(account: CloudAccountRow): ConnectedAccount | undefined {
  const { id, organizationId, status, cloudArn, externalId, isProduction } = account
  if (status === 'AWAITING_CONNECTION' || cloudArn === null) return undefined
  return { id, organizationId, roleArn: cloudArn, externalId, isProduction }
}
