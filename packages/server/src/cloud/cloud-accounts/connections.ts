import { and, asc, eq, inArray, lte, sql } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { newId } from '../../platform/ids.ts'
import type { ConnectionState } from './connection-state.ts'
import { accountNumberIn } from './roles.ts'
import { changeCloudAccount } from './store.ts'
import { type CloudAccountRow, type CloudConnectionRow, cloudAccounts, cloudConnections } from './tables.ts'

const one = (organizationId: string, cloudAccountId: string) =>
  and(eq(cloudConnections.organizationId, organizationId), eq(cloudConnections.cloudAccountId, cloudAccountId))

export async function findConnection(
  db: Db,
  organizationId: string,
  cloudAccountId: string,
): Promise<CloudConnectionRow | undefined> {
  const [row] = await db.select().from(cloudConnections).where(one(organizationId, cloudAccountId))
  return row
}

/** Stores a verified role in a locked account row. */
export async function saveVerifiedRole(
  tx: Db,
  { organizationId, id }: CloudAccountRow,
  roleArn: string,
  standing: ConnectionState,
): Promise<CloudAccountRow> {
  const { status, roleVersion, cfnStackId, ...round } = standing
  const role = { cloudArn: roleArn, cloudId: accountNumberIn(roleArn), status, roleVersion, cfnStackId }
  const account = await changeCloudAccount(tx, organizationId, id, role)
  if (!account) throw new Error('an account that is locked is gone')
  const now = { checkedAt: sql`now()`, updatedAt: sql`now()` }
  await tx
    .insert(cloudConnections)
    .values({ id: newId('cc'), organizationId, cloudAccountId: id, ...round, ...now, lookAt: round.checkAt })
    .onConflictDoUpdate({ target: cloudConnections.cloudAccountId, set: { ...round, ...now } })
  return account
}

/** Connected account with the state of its periodic tasks. */
export type Connected = { account: CloudAccountRow & { cloudArn: string }; connection: CloudConnectionRow }

/** Stores the result of a check, unless the account's role changed meanwhile. */
export async function saveCheckResult(
  tx: Db,
  { account: { organizationId, id, cloudArn }, connection }: Connected,
  { status, roleVersion, cfnStackId, ...round }: ConnectionState,
): Promise<boolean> {
  const [locked] = await tx
    .select()
    .from(cloudAccounts)
    .where(and(eq(cloudAccounts.organizationId, organizationId), eq(cloudAccounts.id, id)))
    .for('update')
  if (locked?.cloudArn !== cloudArn || locked.status === 'AWAITING_CONNECTION') return false
  const told = { status, roleVersion, cfnStackId }
  const isNews = Object.entries(told).some(([name, value]) => Reflect.get(locked, name) !== value)
  if (isNews) await changeCloudAccount(tx, organizationId, id, told)
  await tx
    .update(cloudConnections)
    .set({ ...round, checkedAt: sql`now()`, updatedAt: sql`now()` })
    .where(eq(cloudConnections.id, connection.id))
  return true
}

/** Column with the due time of a periodic task for connected accounts. */
export type PeriodicTaskColumn = 'checkAt' | 'lookAt'

/** Lease of a process on the accounts that it works on, in milliseconds. */
const claimMs = 120_000

/** Leases connected accounts of all organizations that are due to one process, up to `limit`. */
export async function leaseDue(db: Db, round: PeriodicTaskColumn, now: Date, limit: number): Promise<Connected[]> {
  const due = db
    .select({ id: cloudConnections.id })
    .from(cloudConnections)
    .where(lte(cloudConnections[round], now))
    .orderBy(asc(cloudConnections[round]))
    .limit(limit)
    .for('update', { skipLocked: true })
  const claimed = await db
    .update(cloudConnections)
    .set({ [round]: new Date(now.getTime() + claimMs) })
    .where(inArray(cloudConnections.id, due))
    .returning()
  if (claimed.length === 0) return []
  const ids = claimed.map(({ cloudAccountId }) => cloudAccountId)
  const accounts = await db.select().from(cloudAccounts).where(inArray(cloudAccounts.id, ids))
  return claimed.flatMap((connection) => {
    const account = accounts.find(({ id }) => id === connection.cloudAccountId)
    return account && account.cloudArn !== null
      ? { account: { ...account, cloudArn: account.cloudArn }, connection }
      : []
  })
}

/** Sets when Sluice next detects external deployments in the account. */
export async function setNextDetection(db: Db, { connection }: Connected, lookAt: Date): Promise<void> {
  await db.update(cloudConnections).set({ lookAt }).where(eq(cloudConnections.id, connection.id))
}
