import { hasGates } from '../../gates/load.ts'
import { type AnyPgColumn, and, asc, eq, ne, type SQL, sql } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { newId } from '../../platform/ids.ts'
import { hasPlansRequiringApproval } from '../iac-plans/store.ts'
import { type PipelineStepExecutionRow, pipelineStepExecutions } from '../pipelines/tables.ts'
import { type StepApprovalRow, stepApprovals } from './tables.ts'

/** Subquery: whether rules or policies of the organization may apply to steps of a run. */
export const mayBeAskedAbout = (organizationId: AnyPgColumn, pipelineRunId: AnyPgColumn): SQL<boolean> =>
  sql<boolean>`(${hasGates(organizationId, 'STEP')} or ${hasPlansRequiringApproval(pipelineRunId)})`

type Owned = { organizationId: string; id: string }

/** Returns the approvals of a step with these plans, oldest first. */
export const stepApprovalsOf = (db: Db, { organizationId, id }: Owned, plans: string): Promise<StepApprovalRow[]> =>
  db
    .select()
    .from(stepApprovals)
    .where(
      and(
        eq(stepApprovals.organizationId, organizationId),
        eq(stepApprovals.stepExecutionId, id),
        eq(stepApprovals.plans, plans),
      ),
    )
    .orderBy(asc(stepApprovals.id))

/**
 * Stores an approval, replacing one of other plans. Returns undefined if the user has approved the current plans
 * already.
 */
export async function saveStepApproval(
  tx: Db,
  approval: Omit<typeof stepApprovals.$inferInsert, 'id'>,
): Promise<StepApprovalRow | undefined> {
  const { comment, plans, createdAt, actorName, onBehalfOf } = approval
  const [row] = await tx
    .insert(stepApprovals)
    .values({ id: newId('spa'), ...approval })
    .onConflictDoUpdate({
      target: [stepApprovals.stepExecutionId, stepApprovals.actorId],
      set: {
        comment: comment ?? null,
        plans,
        createdAt,
        actorName,
        onBehalfOf: onBehalfOf ?? null,
        updatedAt: sql`now()`,
      },
      setWhere: ne(stepApprovals.plans, plans),
    })
    .returning()
  return row
}

/** Deletes a user's approval of the current plans. Returns undefined if there is none. */
export async function removeStepApproval(
  tx: Db,
  { organizationId, id }: Owned,
  actorId: string,
): Promise<StepApprovalRow | undefined> {
  const [row] = await tx
    .delete(stepApprovals)
    .where(
      and(
        eq(stepApprovals.organizationId, organizationId),
        eq(stepApprovals.stepExecutionId, id),
        eq(stepApprovals.actorId, actorId),
      ),
    )
    .returning()
  return row
}

/** Loads the waiting steps of an organization and locks them against approvals until the end of the transaction. */
export const lockWaitingSteps = (tx: Db, organizationId: string): Promise<PipelineStepExecutionRow[]> =>
  tx
    .select()
    .from(pipelineStepExecutions)
    .where(
      and(
        eq(pipelineStepExecutions.organizationId, organizationId),
        eq(pipelineStepExecutions.status, 'PENDING_APPROVAL'),
      ),
    )
    .orderBy(asc(pipelineStepExecutions.id))
    .for('update')
