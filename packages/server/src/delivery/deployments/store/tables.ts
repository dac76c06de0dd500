import type { DeploymentStatus, DeploymentType, TriggerSource, UserFacingError } from '@sluice/contract'
import { organizations } from '../../../identity/organizations/tables.ts'
import { moduleInstances } from '../../../modules/module-instances/tables.ts'
import { recordColumns, timestampColumn } from '../../../platform/db/columns.ts'
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
    startedAt: timestampColumn('started_at'),
    completedAt: timestampColumn('completed_at'),
    /** Without its large parts once they are archived: see `archiveId`. */
    data: renamedJson('data', formerData).notNull(),
    error: jsonb('error').$type<UserFacingError>(),
    externalDeploymentId: text('external_deployment_id'),
    resourceArn: text('resource_arn'),
    resourceName: text('resource_name'),
    pipelineRunId: text('pipeline_run_id'),
    stepExecutionId: text('step_execution_id'),
    redeployOfDeploymentId: text('redeploy_of_deployment_id'),
    rollbackToDeploymentId: text('rollback_to_deployment_id'),

    // The API never returns the columns below.
    /**
     * Id of the membership or service account that requested the deployment; null if there is none, such as for a push.
     */
    triggeredById: text('triggered_by_id'),
    /** Id of the deployment whose release is promoted. Only returned on request. */
    promotedFromDeploymentId: text('promoted_from_deployment_id'),
    /** Inputs as the caller sent them. */
    inputs: jsonb('inputs').$type<Record<string, unknown>>().notNull(),
    /** Inputs of the instance when the release was resolved; null if none was resolved. */
    instanceInput: jsonb('instance_input').$type<Record<string, unknown>>(),
    /** Module version that the release was resolved with. */
    moduleVersionId: text('module_version_id'),
    /** Release, resolved when the deployment was accepted and never rendered again. */
    release: jsonb('release').$type<Release>().notNull(),
    /** Progress of the state machine. */
    progress: jsonb('progress').$type<Progress>().notNull(),
    /** Number of writes of the row, for optimistic locking. */
    revision: integer('revision').notNull().default(0),
    /** Latest time of the next step; null only for a final status. The reconciler finds overdue deployments. */
    wakeAt: timestampColumn('wake_at'),
    /** Number of the wake-up at `wakeAt`. Timers with a lower number do nothing when they fire. */
    wakeSeq: integer('wake_seq').notNull().default(0),
    /** Deadline of the current status; null only for a final status. */
    deadlineAt: timestampColumn('deadline_at'),
    /** Message that says why the deployment waits and what ends the wait. */
    waitingFor: text('waiting_for'),
    /** Id of the archive object with the large parts of an old deployment's data. */
    archiveId: text('archive_id'),
  },
  (table) => [
    // At most one active deployment per module instance, guaranteed by the database.
    uniqueIndex('deployments_one_active')
      .on(table.moduleInstanceId)
      .where(sql`status in ('IN_PROGRESS', 'ROLLING_BACK')`),
    index('deployments_organization').on(table.organizationId, table.id),
    // All filters of lists, with the columns that counting needs.
    index('deployments_module_instance').on(table.moduleInstanceId, table.organizationId, table.id),
    index('deployments_running').on(table.moduleInstanceId, table.completedAt).where(sql`status = 'SUCCESS'`),
    index('deployments_environment').on(table.environmentId, table.organizationId, table.id),
    index('deployments_project').on(table.projectId, table.organizationId, table.id),
    // With the scope columns that decide about visibility, so that counting needs no access to the rows.
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
    // Deployments that reports count.
    index('deployments_ended').on(table.organizationId, table.completedAt).where(sql`completed_at is not null`),
    index('deployments_bucket')
      .on(table.organizationId, sql`(${table.release}->>'bucket')`)
      .where(sql`deployment_type = 'cloud:static'`),
    index('deployments_resource_arn').on(table.organizationId, table.resourceArn).where(sql`wake_at is not null`),
    // Owner of an external deployment's resource.
    index('deployments_resource_history').on(table.organizationId, table.resourceArn, table.id),
  ],
)

export type DeploymentRow = typeof deployments.$inferSelect
