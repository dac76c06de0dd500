import type { ApprovalPlan } from '@sluice/contract'
import { changeCountsOf } from '../../pipelines/iac-plans/change-counts.ts'
import { iacPlans } from '../../pipelines/iac-plans/tables.ts'
import { type PipelineRunRow, pipelineStepExecutions } from '../../pipelines/pipelines/tables.ts'
import { and, asc, eq, inArray } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { stacks } from '../../stacks/stacks/tables.ts'
import { iacResources } from '../iac-resources/tables.ts'

/** Maximum number of lost resources to list. The plan itself has all of them. */
const maxListedLosses = 5

export type Planned = { stackId: string; source: Record<string, unknown>; shown: ApprovalPlan }

/** Returns the plans that these steps made and that were not applied. */
export async function planned(
  db: Db,
  { organizationId, id }: PipelineRunRow,
  stepIds: readonly string[],
): Promise<Planned[]> {
  if (stepIds.length === 0) return []
  const rows = await db
    .select({ plan: iacPlans, stackName: stacks.name })
    .from(iacPlans)
    .innerJoin(pipelineStepExecutions, eq(pipelineStepExecutions.id, iacPlans.stepExecutionId))
    .innerJoin(stacks, eq(stacks.id, iacPlans.stackId))
    .where(
      and(
        eq(iacPlans.organizationId, organizationId),
        eq(iacPlans.pipelineRunId, id),
        eq(iacPlans.status, 'PLANNED'),
        inArray(pipelineStepExecutions.stepId, [...stepIds]),
      ),
    )
    .orderBy(asc(pipelineStepExecutions.position))
  return Promise.all(
    rows.map(async ({ plan, stackName }) => ({
      stackId: plan.stackId,
      source: plan.source,
      shown: {
        planId: plan.id,
        stackName,
        kind: plan.kind,
        changeCounts: changeCountsOf(plan.summary),
        ...(plan.summary.cost && { cost: plan.summary.cost }),
        ...(plan.review && { review: plan.review }),
        lost: await lostBy(db, plan),
      },
    })),
  )
}

/** Returns the resources that the plan deletes, then those that it replaces, with the reasons. */
async function lostBy(
  db: Db,
  { organizationId, pipelineRunId, stepExecutionId }: typeof iacPlans.$inferSelect,
): Promise<ApprovalPlan['lost']> {
  const { address, changeType, changeReasons } = iacResources
  const rows = await db
    .select({ address, changeType, changeReasons })
    .from(iacResources)
    .where(
      and(
        eq(iacResources.organizationId, organizationId),
        eq(iacResources.pipelineRunId, pipelineRunId),
        eq(iacResources.stepExecutionId, stepExecutionId),
        inArray(changeType, ['DELETE', 'REPLACE']),
      ),
    )
    .orderBy(asc(changeType), asc(address))
    .limit(maxListedLosses)
  return rows.map(({ changeReasons, ...one }) => ({ ...one, ...(changeReasons && { reasons: changeReasons.reasons }) }))
}
