import type { PolicyVerdict } from '@sluice/contract'
import { hasGates } from '../../gates/load.ts'
import { type AnyPgColumn, and, asc, eq, inArray, not, or, type SQL, sql } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { type PageBounds, type PageRows, selectPage } from '../../platform/db/page.ts'
import { newId } from '../../platform/ids.ts'
import { pipelineStepExecutions } from '../pipelines/tables.ts'
import { type IacPlanRow, iacPlans } from './tables.ts'

export type NewIacPlan = Omit<typeof iacPlans.$inferInsert, 'id'>

const one = (organizationId: string, id: string) =>
  and(eq(iacPlans.organizationId, organizationId), eq(iacPlans.id, id))

export interface IacPlanFilters {
  pipelineRunId?: string
  stackId?: string
}

export function listIacPlans(
  db: Db,
  organizationId: string,
  { pipelineRunId, stackId }: IacPlanFilters,
  page: PageBounds,
): Promise<PageRows<IacPlanRow>> {
  const where = and(
    eq(iacPlans.organizationId, organizationId),
    pipelineRunId === undefined ? undefined : eq(iacPlans.pipelineRunId, pipelineRunId),
    stackId === undefined ? undefined : eq(iacPlans.stackId, stackId),
  )
  return selectPage(db, iacPlans, where, page)
}

export async function findIacPlan(db: Db, organizationId: string, id: string): Promise<IacPlanRow | undefined> {
  const [row] = await db.select().from(iacPlans).where(one(organizationId, id))
  return row
}

/** Returns the plan of a step execution. */
export async function findPlanOfStep(
  db: Db,
  organizationId: string,
  stepExecutionId: string,
): Promise<IacPlanRow | undefined> {
  const [row] = await db
    .select()
    .from(iacPlans)
    .where(and(eq(iacPlans.organizationId, organizationId), eq(iacPlans.stepExecutionId, stepExecutionId)))
  return row
}

/** Returns the plan of the step with this id in a run. */
export async function findPlanInRun(
  db: Db,
  { organizationId, pipelineRunId }: { organizationId: string; pipelineRunId: string },
  stepId: string,
): Promise<IacPlanRow | undefined> {
  const [row] = await db
    .select({ plan: iacPlans })
    .from(iacPlans)
    .innerJoin(pipelineStepExecutions, eq(pipelineStepExecutions.id, iacPlans.stepExecutionId))
    .where(
      and(
        eq(iacPlans.organizationId, organizationId),
        eq(iacPlans.pipelineRunId, pipelineRunId),
        eq(pipelineStepExecutions.stepId, stepId),
      ),
    )
  return row?.plan
}

/** Identity of a plan, including that of plans that it replaced. */
export type PlanMade = { identity: string } & Pick<IacPlanRow, 'kind' | 'policies'>

/** Returns the plans of a run. */
export async function plansMade(
  db: Db,
  { organizationId, pipelineRunId }: { organizationId: string; pipelineRunId: string },
  stepIds: readonly string[],
): Promise<PlanMade[]> {
  if (stepIds.length === 0) return []
  const { stepId, attemptEpoch } = pipelineStepExecutions
  const { id, kind, policies } = iacPlans
  const rows = await db
    .select({ id, kind, policies, attemptEpoch })
    .from(iacPlans)
    .innerJoin(pipelineStepExecutions, eq(pipelineStepExecutions.id, iacPlans.stepExecutionId))
    .where(
      and(
        eq(iacPlans.organizationId, organizationId),
        eq(iacPlans.pipelineRunId, pipelineRunId),
        inArray(stepId, [...stepIds]),
      ),
    )
    .orderBy(asc(iacPlans.id))
  return rows.map(({ id, attemptEpoch, ...plan }) => ({ identity: `${id}@${attemptEpoch}`, ...plan }))
}

/** Subquery: whether policies require approvals of a plan of a run. */
export const hasPlansRequiringApproval = (pipelineRunId: AnyPgColumn): SQL<boolean> =>
  sql<boolean>`exists (select from ${iacPlans} where ${and(eq(iacPlans.pipelineRunId, pipelineRunId), isAskedAbout)})`

const isAskedAbout = sql`${iacPlans.policies} @> '[{"effect": "REQUIRE_APPROVAL"}]'::jsonb`

/** Stores the plan of a step. Replaces an unapplied plan of an earlier attempt. */
export async function savePlan(tx: Db, plan: NewIacPlan): Promise<IacPlanRow> {
  const [row] = await tx
    .insert(iacPlans)
    .values({ ...plan, id: newId('iap') })
    .onConflictDoUpdate({
      target: iacPlans.stepExecutionId,
      set: { ...plan, appliedByStepExecutionId: null, appliedAt: null, policies: null, updatedAt: sql`now()` },
      setWhere: inArray(iacPlans.status, ['PLANNED', 'FAILED', 'STALE']),
    })
    .returning()
  if (!row) throw new Error(`the plan of the step ${plan.stepExecutionId} is applied already`)
  return row
}

/** Stores the policy decisions about a new plan. */
export async function storeVerdicts(
  db: Db,
  { organizationId, id }: IacPlanRow,
  policies: PolicyVerdict[],
): Promise<void> {
  if (policies.length === 0) return
  await db
    .update(iacPlans)
    .set({ policies, updatedAt: sql`now()` })
    .where(and(one(organizationId, id), eq(iacPlans.status, 'PLANNED')))
}

/**
 * Acquires a plan for a step that is about to apply it, at most once. Returns undefined if it is not available, or if
 * `policies` (its policy decisions) is missing although policies of the organization evaluate plans.
 */
export async function acquirePlan(
  db: Db,
  { organizationId, id }: IacPlanRow,
  { stepExecutionId, policies }: { stepExecutionId: string; policies?: PolicyVerdict[] },
): Promise<IacPlanRow | undefined> {
  const isFree = policies ? undefined : not(hasGates(iacPlans.organizationId, 'TAKE_PLAN'))
  const [row] = await db
    .update(iacPlans)
    .set({ status: 'APPLYING', appliedByStepExecutionId: stepExecutionId, policies, updatedAt: sql`now()` })
    .where(and(one(organizationId, id), eq(iacPlans.status, 'PLANNED'), isFree))
    .returning()
  return row
}

/** Stores the result of a plan and deletes its encrypted data. */
export async function endPlan(
  tx: Db,
  { organizationId, id }: IacPlanRow,
  status: 'APPLIED' | 'FAILED' | 'STALE',
  now: Date,
): Promise<void> {
  const from = or(eq(iacPlans.status, 'APPLYING'), status === 'STALE' ? eq(iacPlans.status, 'PLANNED') : undefined)
  await tx
    .update(iacPlans)
    .set({ status, sealed: null, appliedAt: status === 'STALE' ? null : now, updatedAt: sql`now()` })
    .where(and(one(organizationId, id), from))
}

/** Rejects the unapplied plans of a run; they remain readable. */
export async function rejectPlans(tx: Db, organizationId: string, pipelineRunId: string): Promise<void> {
  await tx
    .update(iacPlans)
    .set({ status: 'REJECTED', sealed: null, updatedAt: sql`now()` })
    .where(
      and(
        eq(iacPlans.organizationId, organizationId),
        eq(iacPlans.pipelineRunId, pipelineRunId),
        eq(iacPlans.status, 'PLANNED'),
        inArray(iacPlans.kind, ['PLAN', 'DESTROY']),
      ),
    )
}
