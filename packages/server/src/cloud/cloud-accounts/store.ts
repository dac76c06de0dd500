import { hash } from 'node:crypto'
import type { CreateCloudAccount, ProductionMark, UpdateCloudAccount } from '@sluice/contract'
import { and, eq, sql } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { type PageBounds, type PageRows, selectPage } from '../../platform/db/page.ts'
import { newId } from '../../platform/ids.ts'
import { type CloudAccountRow, cloudAccounts } from './tables.ts'

const one = (organizationId: string, id: string) =>
  and(eq(cloudAccounts.organizationId, organizationId), eq(cloudAccounts.id, id))

export async function insertCloudAccount(
  tx: Db,
  organizationId: string,
  given: CreateCloudAccount & { externalId: string },
): Promise<CloudAccountRow> {
  const [row] = await tx
    .insert(cloudAccounts)
    .values({ ...given, id: newId('ca'), organizationId, status: 'AWAITING_CONNECTION' })
    .returning()
  if (!row) throw new Error('the cloud account was not inserted')
  return row
}

export async function findCloudAccount(
  db: Db,
  organizationId: string,
  id: string,
): Promise<CloudAccountRow | undefined> {
  const [row] = await db.select().from(cloudAccounts).where(one(organizationId, id))
  return row
}

export function listCloudAccounts(
  db: Db,
  organizationId: string,
  page: PageBounds,
): Promise<PageRows<CloudAccountRow>> {
  return selectPage(db, cloudAccounts, eq(cloudAccounts.organizationId, organizationId), page)
}

/** Reports whether the account exists. If so, locks it against deletion until the transaction ends. */
export async function shareLockCloudAccount(tx: Db, organizationId: string, id: string): Promise<boolean> {
  const rows = await tx
    .select({ id: cloudAccounts.id })
    .from(cloudAccounts)
    .where(one(organizationId, id))
    .for('key share')
  return rows.length > 0
}

export function updateCloudAccount(
  tx: Db,
  organizationId: string,
  id: string,
  changes: Omit<UpdateCloudAccount, 'eventQueueArn'> & Partial<ProductionMark>,
): Promise<CloudAccountRow | undefined> {
  return changeCloudAccount(tx, organizationId, id, changes)
}

/** Replaces the secret with which events are authenticated. */
export function setEventSecret(
  tx: Db,
  organizationId: string,
  id: string,
  secret: string,
): Promise<CloudAccountRow | undefined> {
  return changeCloudAccount(tx, organizationId, id, { eventSecretHash: hash('sha256', secret, 'hex') })
}

export async function changeCloudAccount(
  tx: Db,
  organizationId: string,
  id: string,
  changes: Partial<CloudAccountRow>,
): Promise<CloudAccountRow | undefined> {
  const [row] = await tx
    .update(cloudAccounts)
    .set({ ...changes, updatedAt: sql`now()` })
    .where(one(organizationId, id))
    .returning()
  return row
}

/** Locks and returns the account. No other transaction can refer to it until this one ends. */
export async function lockCloudAccount(
  tx: Db,
  organizationId: string,
  id: string,
): Promise<CloudAccountRow | undefined> {
  const [row] = await tx.select().from(cloudAccounts).where(one(organizationId, id)).for('update')
  return row
}

export async function removeCloudAccount(tx: Db, organizationId: string, id: string): Promise<void> {
  await tx.delete(cloudAccounts).where(one(organizationId, id))
}
