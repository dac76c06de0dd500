import { isReady } from '../../cloud/execution-environments/machine.ts'
import { executionEnvironments } from '../../cloud/execution-environments/tables.ts'
import { moduleInstances } from '../../modules/module-instances/tables.ts'
import { and, eq, inArray, isNull, or } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import type { StepConfig } from '../pipeline-versions/config/schema.ts'
import { mostSpecificSetting } from './nearest.ts'
import { executionAssignments as assignments } from './tables.ts'

/** Properties of a run that determine its execution environments. */
export type RunScope = {
  organizationId: string
  projectId: string
  moduleInstanceId?: string | undefined
  /** Input of the module instance. */
  executionEnvironmentId?: string | undefined
}

/**
 * Returns the execution environments of steps, by step id. A step without one runs on the installation's shared
 * runners.
 * @throws {ApiError} runPlaceUnknown
 */
export async function executionEnvironmentsOf(
  db: Db,
  run: RunScope,
  steps: readonly StepConfig[],
): Promise<Map<string, string>> {
  const further = await settingsAbove(db, run)
  const named = steps.flatMap(({ id, execution_environment_id: own }) => {
    const executionEnvironmentId = mostSpecificSetting({ ...further, step: own, instance: run.executionEnvironmentId })
    return executionEnvironmentId === undefined ? [] : [{ id, executionEnvironmentId }]
  })
  if (named.length === 0) return new Map()
  const ready = await readinessOf(db, run.organizationId, [...new Set(named.map((one) => one.executionEnvironmentId))])
  return new Map(
    named.flatMap(({ id, executionEnvironmentId }) =>
      ready.get(executionEnvironmentId) ? [[id, executionEnvironmentId]] : [],
    ),
  )
}

/** Returns the settings of the levels above the module instance. */
async function settingsAbove(db: Db, { organizationId, projectId, moduleInstanceId }: RunScope) {
  const instance = moduleInstanceId ? await placeOfInstance(db, organizationId, moduleInstanceId) : undefined
  const { environmentId, moduleDefinitionId } = instance ?? {}
  const isOfAll = and(
    isNull(assignments.projectId),
    isNull(assignments.environmentId),
    isNull(assignments.moduleDefinitionId),
  )
  const isOfRun = or(
    isOfAll,
    eq(assignments.projectId, projectId),
    environmentId === undefined ? undefined : eq(assignments.environmentId, environmentId),
    moduleDefinitionId === undefined ? undefined : eq(assignments.moduleDefinitionId, moduleDefinitionId),
  )
  const rows = await db
    .select()
    .from(assignments)
    .where(and(eq(assignments.organizationId, organizationId), isOfRun))
  const named = (is: (row: (typeof rows)[number]) => boolean) => rows.find(is)?.executionEnvironmentId
  return {
    moduleDefinition: named((row) => row.moduleDefinitionId !== null),
    environment: named((row) => row.environmentId !== null),
    project: named((row) => row.projectId !== null),
    organization: named((row) => (row.projectId ?? row.environmentId ?? row.moduleDefinitionId) === null),
  }
}

async function placeOfInstance(db: Db, organizationId: string, id: string) {
  const [row] = await db
    .select({ environmentId: moduleInstances.environmentId, moduleDefinitionId: moduleInstances.moduleDefinitionId })
    .from(moduleInstances)
    .where(and(eq(moduleInstances.organizationId, organizationId), eq(moduleInstances.id, id)))
  return row
}

/** Returns whether each execution environment is ready. They cannot be deleted until the end of the transaction. */
async function readinessOf(db: Db, organizationId: string, ids: string[]): Promise<Map<string, boolean>> {
  const { id, kind, readyAt } = executionEnvironments
  const rows = await db
    .select({ id, kind, readyAt })
    .from(executionEnvironments)
    .where(and(eq(executionEnvironments.organizationId, organizationId), inArray(id, ids)))
    .for('key share')
  const ready = new Map(rows.map((row) => [row.id, isReady(row)]))
  const unknown = ids.find((one) => !ready.has(one))
  if (unknown === undefined) return ready
  throw new ApiError('runPlaceUnknown', `The organization has no execution environment ${unknown}.`, {
    description: 'A step, an input or an assignment names it: name another one there.',
    metadata: { executionEnvironmentId: unknown },
  })
}
