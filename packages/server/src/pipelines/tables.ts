import type {
  PipelineRunStatus,
  PipelineStepExecutionStatus,
  QueueReason,
  StepLogs,
  TriggerSource,
  UserFacingError,
} from '@sluice/contract'
import { boolean, index, integer, jsonb, pgTable, text, uniqueIndex } from 'drizzle-orm/pg-core'
import { moduleInstances } from '../module-instances/tables.ts'
import { organizations } from '../organizations/tables.ts'
import { moment, recordColumns } from '../platform/db/columns.ts'
import { projects } from '../projects/tables.ts'

type Json = Record<string, unknown>

/** What somebody decided about a step that waited for it. */
export type Decision = { approved: boolean; by: string; at: string; comment?: string }

export const pipelines = pgTable(
  'pipelines',
  {
    ...recordColumns,
    organizationId: text('organization_id')
      .notNull()
      .references(() => organizations.id, { onDelete: 'cascade' }),
    projectId: text('project_id')
      .notNull()
      .references(() => projects.id),
    givenId: text('given_id').notNull(),
    name: text('name').notNull(),
    description: text('description'),
    /** The number of the latest version; versions count up from it without gaps. */
    latestVersion: integer('latest_version').notNull().default(0),
  },
  (table) => [
    uniqueIndex('pipelines_project_given_id').on(table.projectId, table.givenId),
    index('pipelines_organization').on(table.organizationId, table.id),
  ],
)

export type PipelineRow = typeof pipelines.$inferSelect

export const pipelineVersions = pgTable(
  'pipeline_versions',
  {
    ...recordColumns,
    organizationId: text('organization_id')
      .notNull()
      .references(() => organizations.id, { onDelete: 'cascade' }),
    pipelineId: text('pipeline_id')
      .notNull()
      .references(() => pipelines.id, { onDelete: 'cascade' }),
    version: integer('version').notNull(),
    config: jsonb('config').$type<Json>().notNull(),
    createdById: text('created_by_id'),
  },
  (table) => [uniqueIndex('pipeline_versions_number').on(table.pipelineId, table.version)],
)

export type PipelineVersionRow = typeof pipelineVersions.$inferSelect

export const pipelineRuns = pgTable(
  'pipeline_runs',
  {
    ...recordColumns,
    organizationId: text('organization_id')
      .notNull()
      .references(() => organizations.id, { onDelete: 'cascade' }),
    pipelineId: text('pipeline_id')
      .notNull()
      .references(() => pipelines.id, { onDelete: 'cascade' }),
    pipelineVersionId: text('pipeline_version_id')
      .notNull()
      .references(() => pipelineVersions.id),
    description: text('description'),
    inputs: jsonb('inputs').$type<Json>().notNull(),
    status: text('status').$type<PipelineRunStatus>().notNull(),
    triggerSource: text('trigger_source').$type<TriggerSource>().notNull(),
    triggeredBy: text('triggered_by').notNull(),
    startedAt: moment('started_at'),
    completedAt: moment('completed_at'),
    error: jsonb('error').$type<UserFacingError>(),
  },
  (table) => [
    index('pipeline_runs_pipeline').on(table.pipelineId, table.id),
    index('pipeline_runs_organization').on(table.organizationId, table.id),
  ],
)

export type PipelineRunRow = typeof pipelineRuns.$inferSelect

export const pipelineStepExecutions = pgTable(
  'pipeline_step_executions',
  {
    ...recordColumns,
    organizationId: text('organization_id')
      .notNull()
      .references(() => organizations.id, { onDelete: 'cascade' }),
    pipelineRunId: text('pipeline_run_id')
      .notNull()
      .references(() => pipelineRuns.id, { onDelete: 'cascade' }),
    stepId: text('step_id').notNull(),
    stepName: text('step_name').notNull(),
    stepType: text('step_type').notNull(),
    status: text('status').$type<PipelineStepExecutionStatus>().notNull(),
    queueReason: text('queue_reason').$type<QueueReason>().notNull(),
    queueMetadata: jsonb('queue_metadata').$type<Json>().notNull(),
    attemptEpoch: integer('attempt_epoch').notNull().default(0),
    retryAttempt: integer('retry_attempt').notNull().default(0),
    isLastRetry: boolean('is_last_retry').notNull().default(true),
    engineWorkflowId: text('engine_workflow_id').notNull(),
    engineRunId: text('engine_run_id').notNull().default(''),
    startedAt: moment('started_at'),
    completedAt: moment('completed_at'),
    error: jsonb('error').$type<UserFacingError>(),
    inputData: jsonb('input_data').$type<Json>(),
    outputData: jsonb('output_data').$type<Json>(),
    statusDetail: jsonb('status_detail').$type<Json>(),
    moduleInstanceId: text('module_instance_id').references(() => moduleInstances.id),
    logs: jsonb('logs').$type<StepLogs>(),
    /** Who decided about it, and when. */
    decision: jsonb('decision').$type<Decision>(),
  },
  (table) => [
    index('pipeline_step_executions_run').on(table.pipelineRunId, table.id),
    index('pipeline_step_executions_organization').on(table.organizationId, table.id),
  ],
)

export type PipelineStepExecutionRow = typeof pipelineStepExecutions.$inferSelect
