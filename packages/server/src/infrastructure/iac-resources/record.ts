import type { IacDriftStatus } from '@sluice/contract'
import { iacPlans } from '../../pipelines/iac-plans/tables.ts'
import { and, eq, getTableColumns, inArray, isNull, or, sql } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { storableJson } from '../../platform/db/storable.ts'
import { newId } from '../../platform/ids.ts'
import { type IacResourceRow, iacResources } from './tables.ts'

/** Resource found by a step. */
export type FoundResource = Omit<
  typeof iacResources.$inferInsert,
  'id' | 'createdAt' | 'updatedAt' | keyof Place | 'vendor'
>

type Place = {
  organizationId: string
  pipelineId: string
  pipelineRunId: string
  stepExecutionId: string
  stackId: string
}

/** Maximum number of rows per statement. Larger statements are no faster but need more memory. */
const batch = 1_000

/** Stores the resources that a step found, replacing those of its earlier attempts. */
export async function recordResources(tx: Db, place: Place, found: readonly FoundResource[]): Promise<void> {
  const { organizationId, stepExecutionId } = place
  await tx
    .delete(iacResources)
    .where(and(eq(iacResources.organizationId, organizationId), eq(iacResources.stepExecutionId, stepExecutionId)))
  const now = new Date().toISOString()
  // Sorted ids preserve the order of the plan.
  const ids = found.map(() => newId('iac')).sort()
  for (let start = 0; start < found.length; start += batch) {
    const rows = found.slice(start, start + batch).map((resource, index) => ({
      ...resource,
      ...place,
      id: ids[start + index],
      vendor: 'IAC_TOOL',
      createdAt: now,
      updatedAt: now,
    }))
    await insertAsJson(tx, rows)
  }
}

const columns = Object.entries(getTableColumns(iacResources))

/**
 * Inserts rows as one JSON parameter, because PostgreSQL accepts at most 65,535 parameters per statement and a row has
 * about twenty columns.
 */
async function insertAsJson(tx: Db, rows: Record<string, unknown>[]): Promise<void> {
  const named = rows.map((row) => Object.fromEntries(columns.map(([key, { name }]) => [name, row[key] ?? null])))
  await tx.execute(
    sql`insert into ${iacResources} select * from jsonb_populate_recordset(null::${iacResources}, ${storableJson(named)}::jsonb)`,
  )
}

/** Workspace whose resources are selected; null if the configuration has its own state backend. */
export type OfWorkspace = { organizationId: string; stackId: string; workspaceId: string | null }

/** Selects the resources that earlier runs stored for a workspace. */
function itsRows(tx: Db, { organizationId, stackId, workspaceId }: OfWorkspace) {
  const itsPlans = and(
    eq(iacPlans.organizationId, organizationId),
    eq(iacPlans.stackId, stackId),
    workspaceId === null ? isNull(iacPlans.workspaceId) : eq(iacPlans.workspaceId, workspaceId),
  )
  const planned = tx.select({ id: iacPlans.stepExecutionId }).from(iacPlans).where(itsPlans)
  const applied = tx.select({ id: iacPlans.appliedByStepExecutionId }).from(iacPlans).where(itsPlans)
  return and(
    eq(iacResources.organizationId, organizationId),
    eq(iacResources.stackId, stackId),
    or(inArray(iacResources.stepExecutionId, planned), inArray(iacResources.stepExecutionId, applied)),
  )
}

const isOneOf = (addresses: readonly string[]) =>
  sql<boolean>`${iacResources.address} in (select jsonb_array_elements_text(${storableJson(addresses)}::jsonb))`

/** Marks which of the stored resources still exist in the workspace. */
export async function markCurrent(tx: Db, workspace: OfWorkspace, addresses: readonly string[]): Promise<void> {
  const isCurrent = isOneOf(addresses)
  await tx
    .update(iacResources)
    .set({ isInCurrentState: isCurrent, updatedAt: sql`now()` })
    .where(and(itsRows(tx, workspace), sql`${iacResources.isInCurrentState} <> (${isCurrent})`))
}

/** Sets the drift status of existing resources in the workspace. */
export async function markDrift(
  tx: Db,
  workspace: OfWorkspace,
  driftStatus: IacDriftStatus,
  addresses: readonly string[],
): Promise<void> {
  if (addresses.length === 0) return
  await tx
    .update(iacResources)
    .set({ driftStatus, updatedAt: sql`now()` })
    .where(
      and(
        itsRows(tx, workspace),
        eq(iacResources.isInCurrentState, true),
        sql`${iacResources.driftStatus} <> ${driftStatus}`,
        isOneOf(addresses),
      ),
    )
}

/** Returns the resources that a step stored, in order. */
export function resourcesOfStep(db: Db, organizationId: string, stepExecutionId: string): Promise<IacResourceRow[]> {
  return db
    .select()
    .from(iacResources)
    .where(and(eq(iacResources.organizationId, organizationId), eq(iacResources.stepExecutionId, stepExecutionId)))
    .orderBy(iacResources.id)
}
