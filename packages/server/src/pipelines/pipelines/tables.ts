import type {
  ActorType,
  Channel,
  InPlaceOf,
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
import { moment, recordColumns } from '../../platform/db/columns.ts'
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

/** What somebody decided about a step that waited for it. */
export type Decision = {
  approved: boolean
  by: string
  at: string
  comment?: string
  /** Who that is, and by what they decided; decisions of earlier versions do not say. */
  actorType?: ActorType
  actorId?: string
  channel?: Channel
  /** The members on whose behalf it counted. */
  onBehalfOf?: InPlaceOf
}

/** That somebody approved a version of a pipeline. */
export type VersionApproval = {
  actorType: PrincipalType
  /** The membership or service account. */
  actorId: string
  actorName: string
  at: string
  comment?: string
  /** The members on whose behalf it counted. */
  onBehalfOf?: InPlaceOf
}

const formerDecision = renamedField<Decision>('onBehalfOf', 'inPlaceOf')
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
    /** What policies said of it when it was made; null where none guarded it. */
    policies: renamedJson('policies', formerVerdicts),
    /** Who has approved it, oldest first; null where nobody has. */
    approvals: renamedJson('approvals', formerApprovals),
  },
  (table) => [
    uniqueIndex('pipeline_versions_number').on(table.pipelineId, table.version),
    index('pipeline_versions_organization').on(table.organizationId, table.id),
    // Who waits for a push, or for another pipeline.
    index('pipeline_versions_triggers').using('gin', sql`(${table.config} -> 'triggers') jsonb_path_ops`),
  ],
)

export type PipelineVersionRow = typeof pipelineVersions.$inferSelect

/** The next time that a schedule of a pipeline's latest version is due. */
export const pipelineSchedules = pgTable(
  'pipeline_schedules',
  {
    organizationId: text('organization_id')
      .notNull()
      .references(() => organizations.id, { onDelete: 'cascade' }),
    pipelineId: text('pipeline_id')
      .notNull()
      .references(() => pipelines.id, { onDelete: 'cascade' }),
    /** Which of the version's triggers it is. */
    position: integer('position').notNull(),
    cron: text('cron').notNull(),
    timeZone: text('time_zone').notNull(),
    nextAt: moment('next_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.pipelineId, table.position] }),
    index('pipeline_schedules_next').on(table.nextAt),
  ],
)

export type PipelineScheduleRow = typeof pipelineSchedules.$inferSelect

/** What set a run off, beyond its trigger source: the commit that was pushed, the schedule, the run that ended. */
export type RunTrigger = {
  kind: 'manual' | 'push' | 'pull_request' | 'merge_group' | 'schedule' | 'pipeline'
  payload?: Json
  /** What git calls who wrote the commit at the head of the chain: by email and by name. */
  authors?: string[]
  /** How many runs before it set each other off, one after the other; 0 where a person, the clock or a push did. */
  chain?: number
}

/** Somebody's wish that a run ends; it is over when what it had started has stopped. */
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
    /** What people call it by: counts up from 1 in its pipeline. The database gives it, whoever inserts the row. */
    number: integer('number').notNull().default(0),
    description: text('description'),
    inputs: jsonb('inputs').$type<Json>().notNull(),
    status: text('status').$type<PipelineRunStatus>().notNull(),
    triggerSource: text('trigger_source').$type<RunTriggerSource>().notNull(),
    triggeredBy: text('triggered_by').notNull(),
    startedAt: moment('started_at'),
    completedAt: moment('completed_at'),
    error: jsonb('error').$type<UserFacingError>(),

    // From here on: what the wire does not show.
    trigger: jsonb('trigger').$type<RunTrigger>(),
    /** Runs that share it run one at a time; null runs beside all others. */
    concurrencyGroup: text('concurrency_group'),
    /** The step that started this run as a run of its own. */
    parentStepExecutionId: text('parent_step_execution_id'),
    /** The run of which it carries out anew what did not succeed. */
    retryOf: text('retry_of'),
    /** The module instance whose infrastructure it changes; what ended outlives it, and never changes again. */
    moduleInstanceId: text('module_instance_id'),
    /** The membership or service account whose rights it has; null where a trigger set it off: its version's author. */
    actsFor: text('acts_for'),
    /** Approvals are given by the caller who started it. */
    isAutoApproved: boolean('is_auto_approved').notNull().default(false),
    cancelRequest: jsonb('cancel_request').$type<CancelRequest>(),
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
    /** Where what set it off stands in a trace, of which its programs are told; null where it was not traced. */
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
    // One run of a group at a time, whatever the code believes.
    uniqueIndex('pipeline_runs_one_in_group')
      .on(table.organizationId, table.concurrencyGroup)
      .where(sql`concurrency_group is not null and status in ('IN_PROGRESS', 'PENDING_APPROVAL')`),
    // One retry of a run, whoever asks for another at the same moment.
    uniqueIndex('pipeline_runs_retried_once').on(table.retryOf).where(sql`retry_of is not null`),
    // What reports count.
    index('pipeline_runs_ended').on(table.organizationId, table.completedAt).where(sql`completed_at is not null`),
    index('pipeline_runs_status').on(table.organizationId, table.status, table.id),
  ],
)

export type PipelineRunRow = typeof pipelineRuns.$inferSelect

/** The number of the latest run of each pipeline. Apart from the pipeline, which does not change when one begins. */
export const pipelineRunNumbers = pgTable('pipeline_run_numbers', {
  pipelineId: text('pipeline_id')
    .primaryKey()
    .references(() => pipelines.id, { onDelete: 'cascade' }),
  organizationId: text('organization_id')
    .notNull()
    .references(() => organizations.id, { onDelete: 'cascade' }),
  latest: integer('latest').notNull(),
})

/** What a step that waits for approval asks for. */
export type ApprovalRequest = {
  requestedAt: string
  expiresAt: string
  onTimeout: 'reject' | 'approve'
  /** Whether it asks by approval rules alone: then it goes on once none asks any more. */
  isByRule?: boolean
  /** Who may decide, beyond the permission: roles or emails; without it, everyone with the permission. */
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
    startedAt: moment('started_at'),
    completedAt: moment('completed_at'),
    error: jsonb('error').$type<UserFacingError>(),
    inputData: jsonb('input_data').$type<Json>(),
    outputData: jsonb('output_data').$type<Json>(),
    statusDetail: jsonb('status_detail').$type<Json>(),
    moduleInstanceId: text('module_instance_id'),
    logs: jsonb('logs').$type<StepLogs>(),
    /** Who decided about it, and when. */
    decision: renamedJson('decision', formerDecision),

    // From here on: what the wire does not show.
    /** Its place in the configuration. */
    position: integer('position').notNull().default(0),
    approval: jsonb('approval').$type<ApprovalRequest>(),
    /** What a step that works outside needs to find its work again: a deployment, a child run, a plan. */
    progress: jsonb('progress').$type<Json>().notNull().default({}),
    /** The stack that it works on, if it is a step of the iac tool. */
    stackId: text('stack_id').references(() => stacks.id),
    /** The pool whose runners carry it out; null where that is the installation's own. Fixed when the run begins. */
    executionEnvironmentId: text('execution_environment_id'),
    /** The runner that carries out the present attempt, and until when it is believed to be alive. */
    runnerId: text('runner_id'),
    leaseUntil: moment('lease_until'),
    cancelRequestedAt: moment('cancel_requested_at'),
    revision: integer('revision').notNull().default(0),
    wakeAt: moment('wake_at'),
    wakeSeq: integer('wake_seq').notNull().default(0),
    deadlineAt: moment('deadline_at'),
    waitingFor: text('waiting_for'),
  },
  (table) => [
    uniqueIndex('pipeline_step_executions_once').on(table.pipelineRunId, table.stepId),
    index('pipeline_step_executions_wake').on(table.wakeAt).where(sql`wake_at is not null`),
    // What the runners look for.
    index('pipeline_step_executions_ready')
      .on(table.executionEnvironmentId, table.organizationId, table.id)
      .where(sql`status = 'QUEUED' and queue_reason in ('RUNNER_CAPACITY', 'STACK_LOCKED')`),
    // What waits for a stack, and what a runner has.
    index('pipeline_step_executions_waiting_for_stack')
      .on(table.stackId)
      .where(sql`status = 'QUEUED' and stack_id is not null`),
    index('pipeline_step_executions_runner')
      .on(table.runnerId)
      .where(sql`status = 'IN_PROGRESS' and runner_id is not null`),
    // One step at a time works on a stack, whatever the code believes.
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

/** What a step wrote, in the order in which it was written. */
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
    writtenAt: moment('written_at').notNull(),
    /** Whole lines, masked; about 64 KiB at most. */
    text: text('text').notNull(),
    /**
     * How far each source of the attempt's log is stored with this chunk, in bytes: where a runner goes on after a
     * crash.
     */
    offsets: jsonb('offsets').$type<Record<string, number>>().notNull().default({}),
  },
  (table) => [primaryKey({ columns: [table.stepExecutionId, table.sequence] })],
)

export type StepLogChunkRow = typeof stepLogChunks.$inferSelect
