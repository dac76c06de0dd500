import type { Change } from '@sluice/contract'
import { type AnyPgColumn, and, eq, inArray, type PgTable } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { type Declarations, isRecord } from '../../platform/records.ts'

type Table = PgTable & { id: AnyPgColumn; organizationId: AnyPgColumn }

/** Collections of records that can be hidden, by the field that refers to them. All members can see others. */
const collectionOf: Readonly<Record<string, string>> = {
  projectId: 'projects',
  environmentId: 'environments',
  moduleInstanceId: 'module-instances',
  deploymentId: 'deployments',
  pipelineId: 'pipelines',
  pipelineVersionId: 'pipeline-versions',
  pipelineRunId: 'pipeline-runs',
  stepExecutionId: 'pipeline-step-executions',
  stackId: 'stacks',
  iacPlanId: 'iac-plans',
}
const collections = new Set(Object.values(collectionOf))

/** Database with the caller's visibility, and with the whole organization's. */
type Sights = { organizationId: string; seen: Db; all: Db }

/**
 * Returns the changes that a user can see: those of visible records, by the database's row policies. A deleted record
 * counts as visible if all its parents are.
 */
export async function visibleChanges(
  declarations: Declarations,
  changes: readonly Change[],
  { organizationId, seen, all }: Sights,
): Promise<Change[]> {
  const named = changes.flatMap(({ resource, id, belongsTo }) => [
    [resource, id] as const,
    ...Object.entries(belongsTo).map(([field, id]) => [collectionOf[field], id] as const),
  ])
  const hidden = new Set<string>()
  for (const [collection, entries] of Map.groupBy(named, ([collection]) => collection)) {
    const record = declarations.filter(isRecord).find((one) => one.collection === collection)
    if (!record || !collections.has(record.collection)) continue
    const { table } = record
    const ids = [...new Set(entries.map(([, id]) => id))]
    const present = await idsIn(all, table, organizationId, ids)
    const shown = await idsIn(seen, table, organizationId, ids)
    for (const id of present) if (!shown.has(id)) hidden.add(id)
  }
  return changes.filter(({ id, belongsTo }) => ![id, ...Object.values(belongsTo)].some((one) => hidden.has(one)))
}

async function idsIn(db: Db, table: Table, organizationId: string, ids: string[]): Promise<Set<string>> {
  const rows = await db
    .select({ id: table.id })
    .from(table as PgTable)
    .where(and(eq(table.organizationId, organizationId), inArray(table.id, ids)))
  return new Set(rows.map(({ id }) => String(id)))
}
