import type { Change } from '@sluice/contract'
import { deployments } from '../../delivery/deployments/store/tables.ts'
import { moduleInstances } from '../../modules/module-instances/tables.ts'
import { iacPlans } from '../../pipelines/iac-plans/tables.ts'
import { pipelineRuns, pipelineStepExecutions, pipelines, pipelineVersions } from '../../pipelines/pipelines/tables.ts'
import { type AnyPgColumn, and, eq, inArray, type PgTable } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { environments, projects } from '../../projects/projects/tables.ts'
import { stacks } from '../../stacks/stacks/tables.ts'

type Table = PgTable & { id: AnyPgColumn; organizationId: AnyPgColumn }

/** The tables of what can be hidden, by the field that names a record of theirs. What is missing here, all see. */
const tables: Readonly<Record<string, Table>> = {
  projectId: projects,
  environmentId: environments,
  moduleInstanceId: moduleInstances,
  deploymentId: deployments,
  pipelineId: pipelines,
  pipelineVersionId: pipelineVersions,
  pipelineRunId: pipelineRuns,
  stepExecutionId: pipelineStepExecutions,
  stackId: stacks,
  iacPlanId: iacPlans,
}

const fieldOf: Readonly<Partial<Record<Change['resource'], string>>> = {
  projects: 'projectId',
  environments: 'environmentId',
  'module-instances': 'moduleInstanceId',
  deployments: 'deploymentId',
  pipelines: 'pipelineId',
  'pipeline-versions': 'pipelineVersionId',
  'pipeline-runs': 'pipelineRunId',
  'pipeline-step-executions': 'stepExecutionId',
  stacks: 'stackId',
  'iac-plans': 'iacPlanId',
}

/** The database as somebody sees it, and as the organization does. */
type Sights = { organizationId: string; seen: Db; all: Db }

/**
 * Of changes, those that somebody may know of: of records that they see. One that is gone is told of as long as all is
 * seen that it was part of; what the policies of the database show decides.
 */
export async function changesSeen(
  changes: readonly Change[],
  { organizationId, seen, all }: Sights,
): Promise<Change[]> {
  const named = changes.flatMap(({ resource, id, belongsTo }) => [
    [fieldOf[resource], id] as const,
    ...Object.entries(belongsTo),
  ])
  const idsBy = Map.groupBy(named, ([field]) => field)
  const hidden = new Set<string>()
  for (const [field, entries] of idsBy) {
    const table = field === undefined ? undefined : tables[field]
    if (!table) continue
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
