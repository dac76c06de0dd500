import { and, eq, sql } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { type PageBounds, type PageRows, selectPage } from '../../platform/db/page.ts'
import { newId } from '../../platform/ids.ts'
import { type GithostaInstallationRow, githostaInstallations } from './tables.ts'

const one = (organizationId: string, id: string) =>
  and(eq(githostaInstallations.organizationId, organizationId), eq(githostaInstallations.id, id))

const named = (organizationId: string, githostaInstallationId: string) =>
  and(
    eq(githostaInstallations.organizationId, organizationId),
    eq(githostaInstallations.githostaInstallationId, githostaInstallationId),
  )

/** Stores a verified installation. Claiming it again clears lost access. */
export async function upsertInstallation(
  tx: Db,
  organizationId: string,
  claimed: Pick<GithostaInstallationRow, 'githostaInstallationId' | 'accountName' | 'claimedById'>,
): Promise<GithostaInstallationRow> {
  const { organizationId: organization, githostaInstallationId } = githostaInstallations
  const [row] = await tx
    .insert(githostaInstallations)
    .values({ ...claimed, id: newId('gha'), organizationId })
    .onConflictDoUpdate({
      target: [organization, githostaInstallationId],
      set: { ...claimed, accessLost: false, updatedAt: sql`now()` },
    })
    .returning()
  if (!row) throw new Error('the installation was not inserted')
  return row
}

export function listInstallations(
  db: Db,
  organizationId: string,
  page: PageBounds,
): Promise<PageRows<GithostaInstallationRow>> {
  return selectPage(db, githostaInstallations, eq(githostaInstallations.organizationId, organizationId), page)
}

export async function findInstallation(
  db: Db,
  organizationId: string,
  id: string,
): Promise<GithostaInstallationRow | undefined> {
  const [row] = await db.select().from(githostaInstallations).where(one(organizationId, id))
  return row
}

/** Reports whether the organization has claimed the installation with this id at the host. */
export async function isClaimed(db: Db, organizationId: string, githostaInstallationId: string): Promise<boolean> {
  const rows = await db
    .select({ id: githostaInstallations.id })
    .from(githostaInstallations)
    .where(named(organizationId, githostaInstallationId))
  return rows.length > 0
}

export async function removeInstallation(tx: Db, organizationId: string, id: string): Promise<void> {
  await tx.delete(githostaInstallations).where(one(organizationId, id))
}
