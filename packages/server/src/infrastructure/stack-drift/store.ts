import { type UserFacingError, unfinishedRunStatuses } from '@sluice/contract'
import { moduleInstances } from '../../modules/module-instances/tables.ts'
import { iacPlans } from '../../pipelines/iac-plans/tables.ts'
import { type PipelineRunRow, pipelineRuns } from '../../pipelines/pipelines/tables.ts'
import { and, asc, eq, inArray, lte, ne, notInArray, sql } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { now as atNow } from '../../platform/db/sweeps.ts'
import { iacResources } from '../iac-resources/tables.ts'
import { type StackDriftRow, stackDrifts } from './tables.ts'

const one = (organizationId: string, stackId: string) =>
  and(eq(stackDrifts.organizationId, organizationId), eq(stackDrifts.stackId, stackId))

export async function findDrift(db: Db, organizationId: string, stackId: string): Promise<StackDriftRow | undefined> {
  const [row] = await db.select().from(stackDrifts).where(one(organizationId, stackId))
  return row
}

/** Returns the stack's drift state, creating it if missing, and locks it until the transaction ends. */
export async function ensureDrift(tx: Db, organizationId: string, stackId: string): Promise<StackDriftRow> {
  await tx.insert(stackDrifts).values({ organizationId, stackId }).onConflictDoNothing()
  const row = await lockDrift(tx, organizationId, stackId)
  if (!row) throw new Error(`the drift of the stack ${stackId} was not inserted`)
  return row
}

export async function lockDrift(tx: Db, organizationId: string, stackId: string): Promise<StackDriftRow | undefined> {
  const [row] = await tx.select().from(stackDrifts).where(one(organizationId, stackId)).for('update')
  return row
}

export type DriftChanges = Partial<Omit<StackDriftRow, 'stackId' | 'organizationId'>>

export async function updateDrift(
  tx: Db,
  { organizationId, stackId }: Pick<StackDriftRow, 'organizationId' | 'stackId'>,
  changes: DriftChanges,
): Promise<StackDriftRow> {
  const [row] = await tx.update(stackDrifts).set(changes).where(one(organizationId, stackId)).returning()
  if (!row) throw new Error(`the drift of the stack ${stackId} is gone`)
  return row
}

/** Query that reports whether any organization has a due check. */
export const hasDueChecks = sql`select 1 from ${stackDrifts} where ${lte(stackDrifts.nextAt, atNow)}`

const hasUnfinishedRun = and(
  eq(pipelineRuns.id, stackDrifts.runId),
  inArray(pipelineRuns.status, unfinishedRunStatuses),
)

/**
 * Returns the check that has been due longest, of an organization below its limit, locked until the transaction ends.
 */
export async function lockDueCheck(tx: Db, limit: number | undefined, now: Date): Promise<StackDriftRow | undefined> {
  const busy = tx
    .select({ id: stackDrifts.organizationId })
    .from(stackDrifts)
    .innerJoin(pipelineRuns, hasUnfinishedRun)
    .groupBy(stackDrifts.organizationId)
    .having(sql`count(*) >= ${limit ?? null}::bigint`)
  const [row] = await tx
    .select()
    .from(stackDrifts)
    .where(and(lte(stackDrifts.nextAt, now), notInArray(stackDrifts.organizationId, busy)))
    .orderBy(asc(stackDrifts.nextAt))
    .limit(1)
    .for('update', { skipLocked: true })
  return row
}

/** Locks the scheduled checks of an organization until the transaction ends. */
export async function lockScheduledChecks(tx: Db, organizationId: string): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`drift looks ${organizationId}`}, 0))`)
}

/** Counts the checks in progress of an organization, up to `limit`. */
export function countChecksInProgress(db: Db, organizationId: string, limit: number): Promise<number> {
  const looks = db
    .select({ id: stackDrifts.stackId })
    .from(stackDrifts)
    .innerJoin(pipelineRuns, hasUnfinishedRun)
    .where(eq(stackDrifts.organizationId, organizationId))
    .limit(limit)
  return db.$count(looks.as('looks'))
}

export async function isCheckInProgress(db: Db, { organizationId, runId }: StackDriftRow): Promise<boolean> {
  if (runId === null) return false
  const itsRun = and(eq(pipelineRuns.organizationId, organizationId), eq(pipelineRuns.id, runId))
  const unfinished = and(itsRun, inArray(pipelineRuns.status, unfinishedRunStatuses))
  return (await db.$count(pipelineRuns, unfinished)) > 0
}

/** Returns the id of the module instance that owns a stack. */
export async function instanceOfStack(db: Db, organizationId: string, stackId: string): Promise<string | undefined> {
  const [row] = await db
    .select({ id: moduleInstances.id })
    .from(moduleInstances)
    .where(
      and(
        eq(moduleInstances.organizationId, organizationId),
        eq(moduleInstances.stackId, stackId),
        ne(moduleInstances.status, 'DESTROYED'),
      ),
    )
  return row?.id
}

/**
 * Returns the number of the stack's resources that the run found drifted, or undefined if it did not check the stack.
 */
export async function countFound(
  db: Db,
  { organizationId, id }: PipelineRunRow,
  stackId: string,
): Promise<number | undefined> {
  const rows = await db
    .select({ summary: iacPlans.summary })
    .from(iacPlans)
    .where(
      and(
        eq(iacPlans.organizationId, organizationId),
        eq(iacPlans.pipelineRunId, id),
        eq(iacPlans.stackId, stackId),
        eq(iacPlans.kind, 'DRIFT'),
      ),
    )
  return rows.length === 0 ? undefined : rows.reduce((sum, { summary }) => sum + summary.driftedCount, 0)
}

export type Drifted = { address: string; resourceType: string }

/** Lists the drifted resources of a stack, without duplicates. */
export function listDrifted(db: Db, organizationId: string, stackId: string): Promise<Drifted[]> {
  const { address, resourceType } = iacResources
  return db
    .selectDistinctOn([address], { address, resourceType })
    .from(iacResources)
    .where(
      and(
        eq(iacResources.organizationId, organizationId),
        eq(iacResources.stackId, stackId),
        eq(iacResources.driftStatus, 'DRIFTED'),
        eq(iacResources.isInCurrentState, true),
      ),
    )
    .orderBy(asc(address))
}

/** Records that a check could not start. */
export const noteFailure = (tx: Db, drift: StackDriftRow, error: UserFacingError, checkedAt: Date) =>
  updateDrift(tx, drift, { status: 'FAILED', runId: null, error, checkedAt })
