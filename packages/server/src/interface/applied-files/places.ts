import { executionEnvironments } from '../../cloud/execution-environments/tables.ts'
import { promotionRules } from '../../delivery/promotions/tables.ts'
import { approvalRules, freezes, policies } from '../../gates/tables.ts'
import { previewTemplates } from '../../infrastructure/preview-environments/tables.ts'
import { moduleDefinitions, moduleVersions } from '../../modules/module-definitions/tables.ts'
import { moduleInstances } from '../../modules/module-instances/tables.ts'
import { notificationChannels } from '../../notifications/notification-channels/tables.ts'
import { executionAssignments } from '../../pipelines/execution-assignments/tables.ts'
import { pipelines } from '../../pipelines/pipelines/tables.ts'
import { type AnyPgColumn, and, eq, inArray, type SQL, sql } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { defaultValueDefinitions, defaultValues } from '../../projects/default-values/tables.ts'
import { domains } from '../../projects/domains/tables.ts'
import { environments, projects } from '../../projects/projects/tables.ts'
import { roleGrants } from '../../projects/role-grants/tables.ts'
import { stacks } from '../../stacks/stacks/tables.ts'
import type { RecordInFilesRow } from './tables.ts'

export type ProjectPlace = Pick<RecordInFilesRow, 'organizationId' | 'projectId'>

type RecordTable = { id: AnyPgColumn; organizationId: AnyPgColumn }

/** Table of records that project files can define, and the SQL conditions that select those of a project. */
type Kept = {
  table: RecordTable & Parameters<ReturnType<Db['select']>['from']>[0]
  /** Absent for records of the whole organization. */
  within?: (projectId: string) => SQL
  /** Absent for records without an environment. */
  environmentIds?: SQL
}

const inProject =
  ({ projectId }: { projectId: AnyPgColumn }) =>
  (id: string): SQL =>
    eq(projectId, id)

const inPlaces = (table: { projectId: AnyPgColumn; environmentId: AnyPgColumn }) => ({
  within: inProject(table),
  environmentIds: sql`array_remove(array[${table.environmentId}], null)`,
})

const { fromEnvironmentId, environmentId } = promotionRules

const kept: readonly Kept[] = [
  { table: projects, within: (id) => eq(projects.id, id) },
  { table: environments, within: inProject(environments), environmentIds: sql`array[${environments.id}]` },
  { table: pipelines, within: inProject(pipelines) },
  { table: moduleInstances, ...inPlaces(moduleInstances) },
  { table: roleGrants, ...inPlaces(roleGrants) },
  { table: freezes, ...inPlaces(freezes) },
  { table: policies, ...inPlaces(policies) },
  { table: approvalRules, ...inPlaces(approvalRules) },
  { table: domains, ...inPlaces(domains) },
  {
    table: executionAssignments,
    within: (id) =>
      sql`(${executionAssignments.projectId} = ${id} or ${executionAssignments.environmentId} in
        (select ${environments.id} from ${environments} where ${environments.projectId} = ${id}))`,
    environmentIds: sql`array_remove(array[${executionAssignments.environmentId}], null)`,
  },
  { table: previewTemplates, ...inPlaces(previewTemplates) },
  {
    table: promotionRules,
    within: inProject(promotionRules),
    environmentIds: sql`array[${fromEnvironmentId}, ${environmentId}]`,
  },
  { table: notificationChannels, within: inProject(notificationChannels) },
  {
    // A stack has the environment of the instance whose infrastructure it is.
    table: stacks,
    within: inProject(stacks),
    environmentIds: sql`array(select distinct ${moduleInstances.environmentId} from ${moduleInstances}
      where ${moduleInstances.stackId} = ${stacks.id})`,
  },
  {
    table: defaultValues,
    within: (id) =>
      sql`(${defaultValues.parentId} = ${id} or ${defaultValues.parentId} in
        (select ${environments.id} from ${environments} where ${environments.projectId} = ${id}))`,
    environmentIds: sql`case when ${defaultValues.parentType} = 'environment' then array[${defaultValues.parentId}]
      else '{}'::text[] end`,
  },
  { table: defaultValueDefinitions },
  { table: moduleDefinitions },
  { table: moduleVersions },
  { table: executionEnvironments },
]

/**
 * Returns which of these records files of the project can contain, with their environments. Excludes records that `db`
 * hides from the caller.
 */
export async function placesOf(
  db: Db,
  { organizationId, projectId }: ProjectPlace,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string[]>> {
  const places = new Map<string, string[]>()
  for (const { table, within, environmentIds = sql`'{}'::text[]` } of kept) {
    const found = await db
      .select({ id: table.id, environmentIds: sql<string[]>`${environmentIds}` })
      .from(table)
      .where(and(eq(table.organizationId, organizationId), inArray(table.id, [...ids]), within?.(projectId)))
    for (const one of found) places.set(String(one.id), one.environmentIds)
  }
  return places
}
