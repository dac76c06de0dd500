import { and, asc, eq, sql } from '../../../platform/db/drizzle.ts'
import type { Db } from '../../../platform/db/open.ts'
import { type PageBounds, type PageRows, selectPage } from '../../../platform/db/page.ts'
import { newId } from '../../../platform/ids.ts'
import type { DeploymentRow } from '../store/tables.ts'
import { type DeploymentApprovalRow, deploymentApprovals } from './tables.ts'

type Owned = Pick<DeploymentRow, 'organizationId' | 'id'>

const about = ({ organizationId, id }: Owned) =>
  and(eq(deploymentApprovals.organizationId, organizationId), eq(deploymentApprovals.deploymentId, id))

/** Returns the approvals of a deployment, oldest first. */
export const approvalsOf = (db: Db, deployment: Owned): Promise<DeploymentApprovalRow[]> =>
  db
    .select()
    .from(deploymentApprovals)
    .where(and(about(deployment), eq(deploymentApprovals.verdict, 'APPROVED')))
    .orderBy(asc(deploymentApprovals.id))

export const listApprovals = (db: Db, deployment: Owned, page: PageBounds): Promise<PageRows<DeploymentApprovalRow>> =>
  selectPage(db, deploymentApprovals, about(deployment), page)

type NewApproval = Omit<typeof deploymentApprovals.$inferInsert, 'id'>

/** Stores an approval. Returns undefined if the user has approved the deployment already. */
export async function insertApproval(tx: Db, approval: NewApproval): Promise<DeploymentApprovalRow | undefined> {
  const [row] = await tx
    .insert(deploymentApprovals)
    .values({ id: newId('apv'), ...approval })
    .onConflictDoNothing()
    .returning()
  return row
}

/** Stores a rejection. Replaces an earlier approval by the same user. */
export async function saveRejection(tx: Db, rejection: NewApproval): Promise<void> {
  const { verdict, comment, onBehalfOf, releaseDigest, createdAt } = rejection
  await tx
    .insert(deploymentApprovals)
    .values({ id: newId('apv'), ...rejection })
    .onConflictDoUpdate({
      target: [deploymentApprovals.deploymentId, deploymentApprovals.actorId],
      set: {
        verdict,
        comment: comment ?? null,
        onBehalfOf: onBehalfOf ?? null,
        releaseDigest,
        createdAt,
        updatedAt: sql`now()`,
      },
    })
}

/** Deletes the approval of a user. Returns undefined if there is none. */
export async function removeApproval(
  tx: Db,
  deployment: Owned,
  actorId: string,
): Promise<DeploymentApprovalRow | undefined> {
  const isTheirs = and(about(deployment), eq(deploymentApprovals.actorId, actorId))
  const [row] = await tx.delete(deploymentApprovals).where(isTheirs).returning()
  return row
}
