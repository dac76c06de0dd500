import type {
  ActorType,
  Channel,
  Delegators,
  PipelineRunStatus,
  PipelineStepExecutionStatus,
  PrincipalType,
  QueueReason,
  RunTriggerSource,
  StepLogs,
  UserFacingError,
} from '@sluice/contract'
import { formerVerdicts } from '../../gates/former-names.ts'
import { organizations } from '../../identity/organizations/tables.ts'
import { recordColumns, timestampColumn } from '../../platform/db/columns.ts'
import {
  boolean,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  sql,
  text,
  uniqueIndex,
} from '../../platform/db/drizzle.ts'
import { renamedField, renamedJson } from '../../platform/db/renamed.ts'
import { projects } from '../../projects/projects/tables.ts'
import { stacks } from '../../stacks/stacks/tables.ts'

type Json = Record<string, unknown>

/** Decision about a step that waited for approval. */
export type StepDecision = {
  approved: boolean
  by: string
  at: string
  comment?: string
  /** Type of the actor, and the client; absent from decisions of earlier versions. */
  actorType?: ActorType
  actorId?: string
  channel?: Channel
  /** Members whom the approver substituted for. */
  onBehalfOf?: Delegators
}

/** Approval of a pipeline version. */
export type VersionApproval = {
  actorType: PrincipalType
  /** Id of the membership or service account. */
  actorId: string
  actorName: string
  at: string
  comment?: string
  /** Members whom the approver substituted for. */
  onBehalfOf?: Delegators
}

const formerDecision = renamedField<StepDecision>('onBehalfOf', 'inPlaceOf')
const formerApproval = renamedField<VersionApproval>('onBehalfOf', 'inPlaceOf')
const formerApprovals = {
  toStored: (approvals: VersionApproval[]) => approvals.map(formerApproval.toStored),
  toCurrent: (stored: object[]) => stored.map(formerApproval.toCurrent),
}

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
    /** Number of the latest version; versions are numbered without gaps. */
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
    /** Policy decisions at the creation; null if no policy applied. */
    policies: renamedJson('policies', formerVerdicts),
    /** Approvals, oldest first; null if there are none. */
    approvals: renamedJson('approvals', formerApprovals),
  },
  (table) => [
    uniqueIndex('pipeline_versions_number').on(table.pipelineId, table.version),
    index('pipeline_versions_organization').on(table.organizationId, table.id),
    // Lookup of triggers for pushes and for other pipelines.
    index('pipeline_versions_triggers').using('gin', sql`(${table.config} -> 'triggers') jsonb_path_ops`),
  ],
)

export type PipelineVersionRow = typeof pipelineVersions.$inferSelect

/** Next times of the schedules of each pipeline's latest version. */
export const pipelineSchedules = pgTable(
  'pipeline_schedules',
  {
    organizationId: text('organization_id')
      .notNull()
      .references(() => organizations.id, { onDelete: 'cascade' }),
    pipelineId: text('pipeline_id')
      .notNull()
      .references(() => pipelines.id, { onDelete: 'cascade' }),
    /** Index of the trigger in the version. */
    position: integer('position').notNull(),
    cron: text('cron').notNull(),
    timeZone: text('time_zone').notNull(),
    nextAt: timestampColumn('next_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.pipelineId, table.position] }),
    index('pipeline_schedules_next').on(table.nextAt),
  ],
)

export type PipelineScheduleRow = typeof pipelineSchedules.$inferSelect

/** Cause of a run besides its trigger source: the pushed commit, the schedule, or the ended run. */
export type RunTrigger = {
  kind: 'manual' | 'push' | 'pull_request' | 'merge_group' | 'schedule' | 'pipeline'
  payload?: Json
  /** Emails and names of the authors of the commit that started the chain. */
  authors?: string[]
  /**
   * Number of runs before this one in a chain of runs that start each other; 0 for a run by a user, schedule or push.
   */
  chain?: number
}

/** User's request to cancel a run. The run ends when its active steps have stopped. */
export type CancelRequest = { by: string; at: string; error: UserFacingError }

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
    /** Number of the run within its pipeline, from 1. Assigned by a database trigger. */
    number: integer('number').notNull().default(0),
    description: text('description'),
    inputs: jsonb('inputs').$type<Json>().notNull(),
    status: text('status').$type<PipelineRunStatus>().notNull(),
    triggerSource: text('trigger_source').$type<RunTriggerSource>().notNull(),
    triggeredBy: text('triggered_by').notNull(),
    startedAt: timestampColumn('started_at'),
    completedAt: timestampColumn('completed_at'),
    error: jsonb('error').$type<UserFacingError>(),

    // The API never returns the columns below.
    trigger: jsonb('trigger').$type<RunTrigger>(),
    /** Runs of the same group run one at a time; null for no group. */
    concurrencyGroup: text('concurrency_group'),
    /** Step that started this run as a child. */
    parentStepExecutionId: text('parent_step_execution_id'),
    /** Run that this one retries. */
    retryOf: text('retry_of'),
    /** Module instance whose infrastructure the run changes; an ended run remains when the instance is deleted. */
    moduleInstanceId: text('module_instance_id'),
    /**
     * Membership or service account whose permissions the run has; null for a run by a trigger, which has those of the
     * version's author.
     */
    actsFor: text('acts_for'),
    /** Whether approvals are given by the user who started it. */
    isAutoApproved: boolean('is_auto_approved').notNull().default(false),
    cancelRequest: jsonb('cancel_request').$type<CancelRequest>(),
    /** Number of writes of the row, for optimistic locking. */
    revision: integer('revision').notNull().default(0),
    /** Latest time of the next pass; null only for a final status. The reconciler finds overdue runs. */
    wakeAt: timestampColumn('wake_at'),
    /** Number of the wake-up at `wakeAt`. Timers with a lower number do nothing when they fire. */
    wakeSeq: integer('wake_seq').notNull().default(0),
    /** Deadline of the current status; null only for a final status. */
    deadlineAt: timestampColumn('deadline_at'),
    /** Message that says why the run waits and what ends the wait. */
    waitingFor: text('waiting_for'),
    /** Trace context of the run's cause, which its programs receive; null if there was no trace. */
    traceparent: text('traceparent'),
  },
  (table) => [
    index('pipeline_runs_pipeline').on(table.pipelineId, table.organizationId, table.id),
    uniqueIndex('pipeline_runs_number').on(table.pipelineId, table.number),
    index('pipeline_runs_organization').on(table.organizationId, table.id),
    index('pipeline_runs_module_instance').on(table.moduleInstanceId, table.id),
    index('pipeline_runs_wake').on(table.wakeAt).where(sql`wake_at is not null`),
    index('pipeline_runs_group')
      .on(table.organizationId, table.concurrencyGroup, table.id)
      .where(sql`concurrency_group is not null`),
    // At most one active run per concurrency group, guaranteed by the database.
    uniqueIndex('pipeline_runs_one_in_group')
      .on(table.organizationId, table.concurrencyGroup)
      .where(sql`concurrency_group is not null and status in ('IN_PROGRESS', 'PENDING_APPROVAL')`),
    // At most one retry per run, even with concurrent requests.
    uniqueIndex('pipeline_runs_retried_once').on(table.retryOf).where(sql`retry_of is not null`),
    // Runs that reports count.
    index('pipeline_runs_ended').on(table.organizationId, table.completedAt).where(sql`completed_at is not null`),
    index('pipeline_runs_status').on(table.organizationId, table.status, table.id),
  ],
)

export type PipelineRunRow = typeof pipelineRuns.$inferSelect

/** Number of each pipeline's latest run, in a separate table so that a new run does not change the pipeline's row. */
export const pipelineRunNumbers = pgTable('pipeline_run_numbers', {
  pipelineId: text('pipeline_id')
    .primaryKey()
    .references(() => pipelines.id, { onDelete: 'cascade' }),
  organizationId: text('organization_id')
    .notNull()
    .references(() => organizations.id, { onDelete: 'cascade' }),
  latest: integer('latest').notNull(),
})

/** Approval request of a waiting step. */
export type ApprovalRequest = {
  requestedAt: string
  expiresAt: string
  onTimeout: 'reject' | 'approve'
  /** Whether only approval rules require it, so that the step continues once none does. */
  isByRule?: boolean
  /** Roles or emails of the approvers; if absent, everyone with the permission. */
  approvers?: string[]
}

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
    startedAt: timestampColumn('started_at'),
    completedAt: timestampColumn('completed_at'),
    error: jsonb('error').$type<UserFacingError>(),
    inputData: jsonb('input_data').$type<Json>(),
    outputData: jsonb('output_data').$type<Json>(),
    statusDetail: jsonb('status_detail').$type<Json>(),
    moduleInstanceId: text('module_instance_id'),
    logs: jsonb('logs').$type<StepLogs>(),
    /** Decision about the step. */
    decision: renamedJson('decision', formerDecision),

    // The API never returns the columns below.
    /** Index in the config. */
    position: integer('position').notNull().default(0),
    approval: jsonb('approval').$type<ApprovalRequest>(),
    /** Data that a step needs to find its work again: a deployment, a child run, or a plan. */
    progress: jsonb('progress').$type<Json>().notNull().default({}),
    /** Stack of an IaC step. */
    stackId: text('stack_id').references(() => stacks.id),
    /** Execution environment of the step; null for shared runners. Set when the run starts. */
    executionEnvironmentId: text('execution_environment_id'),
    /** Runner of the current attempt; the next column is the end of its lease. */
    runnerId: text('runner_id'),
    leaseUntil: timestampColumn('lease_until'),
    cancelRequestedAt: timestampColumn('cancel_requested_at'),
    revision: integer('revision').notNull().default(0),
    wakeAt: timestampColumn('wake_at'),
    wakeSeq: integer('wake_seq').notNull().default(0),
    deadlineAt: timestampColumn('deadline_at'),
    waitingFor: text('waiting_for'),
  },
  (table) => [
    uniqueIndex('pipeline_step_executions_once').on(table.pipelineRunId, table.stepId),
    index('pipeline_step_executions_wake').on(table.wakeAt).where(sql`wake_at is not null`),
    index('pipeline_step_executions_ready')
      .on(table.executionEnvironmentId, table.organizationId, table.id)
      .where(sql`status = 'QUEUED' and queue_reason in ('RUNNER_CAPACITY', 'STACK_LOCKED')`),
    index('pipeline_step_executions_waiting_for_stack')
      .on(table.stackId)
      .where(sql`status = 'QUEUED' and stack_id is not null`),
    index('pipeline_step_executions_runner')
      .on(table.runnerId)
      .where(sql`status = 'IN_PROGRESS' and runner_id is not null`),
    // At most one active step per stack, guaranteed by the database.
    uniqueIndex('pipeline_step_executions_one_on_stack')
      .on(table.stackId)
      .where(sql`stack_id is not null and status = 'IN_PROGRESS'`),
    index('pipeline_step_executions_run').on(table.pipelineRunId, table.id),
    index('pipeline_step_executions_organization').on(table.organizationId, table.id),
    index('pipeline_step_executions_approvals')
      .on(table.organizationId, sql`(${table.approval}->>'requestedAt')`)
      .where(sql`approval is not null`),
    index('pipeline_step_executions_status').on(table.organizationId, table.status, table.id),
  ],
)

export type PipelineStepExecutionRow = typeof pipelineStepExecutions.$inferSelect

/** Output of steps, in order. */
export const stepLogChunks = pgTable(
  'step_log_chunks',
  {
    organizationId: text('organization_id')
      .notNull()
      .references(() => organizations.id, { onDelete: 'cascade' }),
    stepExecutionId: text('step_execution_id')
      .notNull()
      .references(() => pipelineStepExecutions.id, { onDelete: 'cascade' }),
    sequence: integer('sequence').notNull(),
    attemptEpoch: integer('attempt_epoch').notNull(),
    writtenAt: timestampColumn('written_at').notNull(),
    /** Complete lines with masked secrets; at most about 64 KiB. */
    text: text('text').notNull(),
    /**
     * Bytes of each source of the attempt's log that are stored up to this chunk, so that a runner can resume after a
     * crash.
     */
    offsets: jsonb('offsets').$type<Record<string, number>>().notNull().default({}),
  },
  (table) => [primaryKey({ columns: [table.stepExecutionId, table.sequence] })],
)

export type StepLogChunkRow = typeof stepLogChunks.$inferSelect
