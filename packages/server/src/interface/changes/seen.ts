import type { Change } from '@sluice/contract'
import { type AnyPgColumn, and, eq, inArray, type PgTable } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { type Declarations, isRecord } from '../../platform/records.ts'

type Table = PgTable & { id: AnyPgColumn; organizationId: AnyPgColumn }

/** The collections of what can be hidden, by the field that names a record of theirs. All others are seen by all. */
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

/** The database as somebody sees it, and as the organization does. */
type Sights = { organizationId: string; seen: Db; all: Db }

/**
 * Of changes, those that somebody may know of: of records that they see. One that is gone is told of as long as all is
 * seen that it was part of; what the policies of the database show decides.
 */
export async function changesSeen(
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
