import type { IacDriftStatus } from '@sluice/contract'
import { iacPlans } from '../../pipelines/iac-plans/tables.ts'
import { and, eq, getTableColumns, inArray, isNull, or, sql } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { storableJson } from '../../platform/db/storable.ts'
import { newId } from '../../platform/ids.ts'
import { type IacResourceRow, iacResources } from './tables.ts'

/** What a step has found out about a resource. */
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

/** Rows in one statement: larger ones gain nothing, and a text of megabytes is parsed at once. */
const batch = 1_000

/** Stores what a step found, instead of what an attempt of it before did. */
export async function recordResources(tx: Db, place: Place, found: readonly FoundResource[]): Promise<void> {
  const { organizationId, stepExecutionId } = place
  await tx
    .delete(iacResources)
    .where(and(eq(iacResources.organizationId, organizationId), eq(iacResources.stepExecutionId, stepExecutionId)))
  const now = new Date().toISOString()
  // Ids sort as the plan lists them.
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

/** As one parameter: PostgreSQL takes 65,535 of them in a statement, and a row has some twenty. */
async function insertAsJson(tx: Db, rows: Record<string, unknown>[]): Promise<void> {
  const named = rows.map((row) => Object.fromEntries(columns.map(([key, { name }]) => [name, row[key] ?? null])))
  await tx.execute(
    sql`insert into ${iacResources} select * from jsonb_populate_recordset(null::${iacResources}, ${storableJson(named)}::jsonb)`,
  )
}

/** The workspace whose resources are meant; null where the configuration keeps its state itself. */
export type OfWorkspace = { organizationId: string; stackId: string; workspaceId: string | null }

/** What runs have told of the resources of a workspace before. */
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

/** Says of everything that was ever told of a workspace whether the workspace has it now. */
export async function markCurrent(tx: Db, workspace: OfWorkspace, addresses: readonly string[]): Promise<void> {
  const isCurrent = isOneOf(addresses)
  await tx
    .update(iacResources)
    .set({ isInCurrentState: isCurrent, updatedAt: sql`now()` })
    .where(and(itsRows(tx, workspace), sql`${iacResources.isInCurrentState} <> (${isCurrent})`))
}

/** Says of the resources that a workspace has now whether they still are as configured. */
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

/** What a step has told of resources, in its order. */
export function resourcesOfStep(db: Db, organizationId: string, stepExecutionId: string): Promise<IacResourceRow[]> {
  return db
    .select()
    .from(iacResources)
    .where(and(eq(iacResources.organizationId, organizationId), eq(iacResources.stepExecutionId, stepExecutionId)))
    .orderBy(iacResources.id)
}
