import type { DeploymentStatus, DeploymentType, TriggerSource, UserFacingError } from '@sluice/contract'
import { organizations } from '../../../identity/organizations/tables.ts'
import { moduleInstances } from '../../../modules/module-instances/tables.ts'
import { moment, recordColumns } from '../../../platform/db/columns.ts'
import { index, integer, jsonb, pgTable, sql, text, uniqueIndex } from '../../../platform/db/drizzle.ts'
import { renamedJson } from '../../../platform/db/renamed.ts'
import { environments, projects } from '../../../projects/projects/tables.ts'
import type { Progress } from '../execution/progress.ts'
import type { Release } from '../types/release.ts'
import { formerData } from './former-data.ts'

export const deployments = pgTable(
  'deployments',
  {
    ...recordColumns,
    organizationId: text('organization_id')
      .notNull()
      .references(() => organizations.id, { onDelete: 'cascade' }),
    moduleInstanceId: text('module_instance_id')
      .notNull()
      .references(() => moduleInstances.id),
    projectId: text('project_id')
      .notNull()
      .references(() => projects.id),
    environmentId: text('environment_id')
      .notNull()
      .references(() => environments.id),
    description: text('description').notNull(),
    status: text('status').$type<DeploymentStatus>().notNull(),
    deploymentType: text('deployment_type').$type<DeploymentType>().notNull(),
    triggerSource: text('trigger_source').$type<TriggerSource>().notNull(),
    startedAt: moment('started_at'),
    completedAt: moment('completed_at'),
    /** Without what is long in them once that is in the archive: see `archiveId`. */
    data: renamedJson('data', formerData).notNull(),
    error: jsonb('error').$type<UserFacingError>(),
    externalDeploymentId: text('external_deployment_id'),
    resourceArn: text('resource_arn'),
    resourceName: text('resource_name'),
    pipelineRunId: text('pipeline_run_id'),
    stepExecutionId: text('step_execution_id'),
    redeployOfDeploymentId: text('redeploy_of_deployment_id'),
    rollbackToDeploymentId: text('rollback_to_deployment_id'),

    // From here on: what the wire never shows.
    /** The membership or service account that asked for it; null where nobody did, such as a push. */
    triggeredById: text('triggered_by_id'),
    /** The deployment whose release it repeats in another place; only told beside it. */
    promotedFromDeploymentId: text('promoted_from_deployment_id'),
    /** The inputs as the caller gave them. */
    inputs: jsonb('inputs').$type<Record<string, unknown>>().notNull(),
    /** What the instance had been given when the release was resolved; null where nobody resolved one. */
    instanceInput: jsonb('instance_input').$type<Record<string, unknown>>(),
    /** The version of the module by which it was resolved. */
    moduleVersionId: text('module_version_id'),
    /** What is released, resolved when the deployment was accepted; never rendered again. */
    release: jsonb('release').$type<Release>().notNull(),
    /** Where the machine stands. */
    progress: jsonb('progress').$type<Progress>().notNull(),
    /** Counts every write of the row, so that a write decided on an older reading changes nothing. */
    revision: integer('revision').notNull().default(0),
    /** When the row must be looked at again at the latest; null only in a final state. A sweep finds overdue ones. */
    wakeAt: moment('wake_at'),
    /** The number of the wake-up that `wakeAt` stands for; an older timer that still fires does nothing. */
    wakeSeq: integer('wake_seq').notNull().default(0),
    /** When the present state is given up; null only in a final state. */
    deadlineAt: moment('deadline_at'),
    /** Why it waits and what ends the waiting, for people. */
    waitingFor: text('waiting_for'),
    /** Of an old one: the object of the archive that has what was long in its data. */
    archiveId: text('archive_id'),
  },
  (table) => [
    // One deployment of a module instance runs at a time, whatever the code believes.
    uniqueIndex('deployments_one_active')
      .on(table.moduleInstanceId)
      .where(sql`status in ('IN_PROGRESS', 'ROLLING_BACK')`),
    index('deployments_organization').on(table.organizationId, table.id),
    // What lists are filtered by, with all that counting them takes.
    index('deployments_module_instance').on(table.moduleInstanceId, table.organizationId, table.id),
    // What runs of each instance.
    index('deployments_running').on(table.moduleInstanceId, table.completedAt).where(sql`status = 'SUCCESS'`),
    index('deployments_environment').on(table.environmentId, table.organizationId, table.id),
    index('deployments_project').on(table.projectId, table.organizationId, table.id),
    // And where they are, which says whether somebody may see them: they are counted without a look at the rows.
    index('deployments_of_status').on(
      table.organizationId,
      table.status,
      table.id,
      table.projectId,
      table.environmentId,
    ),
    index('deployments_pipeline_run').on(table.pipelineRunId).where(sql`pipeline_run_id is not null`),
    index('deployments_wake').on(table.wakeAt).where(sql`wake_at is not null`),
    index('deployments_archive').on(table.archiveId).where(sql`archive_id is not null`),
    index('deployments_to_archive')
      .on(table.projectId, table.completedAt)
      .where(sql`archive_id is null and completed_at is not null`),
    // What reports count.
    index('deployments_ended').on(table.organizationId, table.completedAt).where(sql`completed_at is not null`),
    index('deployments_bucket')
      .on(table.organizationId, sql`(${table.release}->>'bucket')`)
      .where(sql`deployment_type = 'cloud:static'`),
    index('deployments_resource_arn').on(table.organizationId, table.resourceArn).where(sql`wake_at is not null`),
    // Whose a release is that somebody else began.
    index('deployments_resource_history').on(table.organizationId, table.resourceArn, table.id),
  ],
)

export type DeploymentRow = typeof deployments.$inferSelect
