import { hasGates } from '../../gates/load.ts'
import { type AnyPgColumn, and, asc, eq, ne, type SQL, sql } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { newId } from '../../platform/ids.ts'
import { hasPlansAskedAbout } from '../iac-plans/store.ts'
import { type PipelineStepExecutionRow, pipelineStepExecutions } from '../pipelines/tables.ts'
import { type StepApprovalRow, stepApprovals } from './tables.ts'

/** In a query over something else: whether rules or policies of its organization may ask about steps of a run. */
export const mayBeAskedAbout = (organizationId: AnyPgColumn, pipelineRunId: AnyPgColumn): SQL<boolean> =>
  sql<boolean>`(${hasGates(organizationId, 'STEP')} or ${hasPlansAskedAbout(pipelineRunId)})`

type Owned = { organizationId: string; id: string }

/** Who has approved a step as it is with these plans, oldest first. */
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

/** Stores an approval, in place of one of other plans; undefined where the person has approved it as it is. */
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

/** Takes back the approval that a person gave of a step as it is; undefined where there is none. */
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

/** The steps of an organization that wait for approval: none of them is approved before the transaction ends. */
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
