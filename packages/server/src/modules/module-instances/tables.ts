import type { ModuleInstanceStatus, RunTriggerSource, UserFacingError } from '@sluice/contract'
import type { Author } from '../../identity/audit-events/author.ts'
import { organizations } from '../../identity/organizations/tables.ts'
import { recordColumns, timestampColumn } from '../../platform/db/columns.ts'
import { boolean, index, jsonb, pgTable, primaryKey, sql, text, uniqueIndex } from '../../platform/db/drizzle.ts'
import { environments, projects } from '../../projects/projects/tables.ts'
import { moduleDefinitions, moduleVersions } from '../module-definitions/tables.ts'

export const moduleInstances = pgTable(
  'module_instances',
  {
    ...recordColumns,
    organizationId: text('organization_id')
      .notNull()
      .references(() => organizations.id, { onDelete: 'cascade' }),
    projectId: text('project_id')
      .notNull()
      .references(() => projects.id),
    environmentId: text('environment_id')
      .notNull()
      .references(() => environments.id),
    moduleDefinitionId: text('module_definition_id')
      .notNull()
      .references(() => moduleDefinitions.id),
    moduleVersionId: text('module_version_id')
      .notNull()
      .references(() => moduleVersions.id),
    givenId: text('given_id').notNull(),
    name: text('name').notNull(),
    description: text('description'),
    type: text('type').notNull(),
    status: text('status').$type<ModuleInstanceStatus>().notNull().default('PENDING'),
    input: jsonb('input').$type<Record<string, unknown>>().notNull(),
    error: jsonb('error').$type<UserFacingError>(),
    stackId: text('stack_id'),

    // Columns below are not serialized.
    /** Version and resolved input of the last successful apply; null before the first. */
    appliedVersionId: text('applied_version_id'),
    appliedInput: jsonb('applied_input').$type<Record<string, unknown>>(),
    appliedAt: timestampColumn('applied_at'),
    /** Current or latest run that changes its infrastructure. */
    latestRunId: text('latest_run_id'),
    /** Cloud resource that its releases update, if known in advance. Identifies external deployments. */
    resourceArn: text('resource_arn'),
  },
  (table) => [
    // A destroyed instance frees its givenId.
    uniqueIndex('module_instances_environment_given_id')
      .on(table.environmentId, table.givenId)
      .where(sql`status <> 'DESTROYED'`),
    index('module_instances_organization').on(table.organizationId, table.id),
    index('module_instances_resource').on(table.organizationId, table.resourceArn).where(sql`resource_arn is not null`),
  ],
)

export type ModuleInstanceRow = typeof moduleInstances.$inferSelect

/** References between instances, by input. They protect the referenced instance from deletion. */
export const moduleInstanceReferences = pgTable(
  'module_instance_references',
  {
    organizationId: text('organization_id')
      .notNull()
      .references(() => organizations.id, { onDelete: 'cascade' }),
    moduleInstanceId: text('module_instance_id')
      .notNull()
      .references(() => moduleInstances.id, { onDelete: 'cascade' }),
    /** Path of the input, such as `network_id` or `listeners[0].target_id`. */
    inputPath: text('input_path').notNull(),
    referredId: text('referred_id')
      .notNull()
      .references(() => moduleInstances.id),
  },
  (table) => [
    primaryKey({ columns: [table.moduleInstanceId, table.inputPath] }),
    index('module_instance_references_referred').on(table.referredId),
  ],
)

/** Instances that wait to be applied after the instances they refer to, within one request. */
export const moduleInstanceApplies = pgTable(
  'module_instance_applies',
  {
    organizationId: text('organization_id')
      .notNull()
      .references(() => organizations.id, { onDelete: 'cascade' }),
    moduleInstanceId: text('module_instance_id')
      .primaryKey()
      .references(() => moduleInstances.id, { onDelete: 'cascade' }),
    /** Ids of instances whose runs must succeed first. */
    waitsFor: jsonb('waits_for').$type<string[]>().notNull(),
    isAutoApproved: boolean('is_auto_approved').notNull(),
    triggerSource: text('trigger_source').$type<RunTriggerSource>().notNull(),
    triggeredBy: text('triggered_by').notNull(),
    /** Requester, for the audit log when the run starts. */
    author: jsonb('author').$type<Author>().notNull(),
  },
  (table) => [index('module_instance_applies_organization').on(table.organizationId)],
)

export type ModuleInstanceApplyRow = typeof moduleInstanceApplies.$inferSelect
