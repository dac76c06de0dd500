import type { RunnerTaskStatus } from '@sluice/contract'
import { organizations } from '../../identity/organizations/tables.ts'
import { recordColumns, timestampColumn } from '../../platform/db/columns.ts'
import { check, index, integer, jsonb, pgTable, sql, text, uniqueIndex } from '../../platform/db/drizzle.ts'
import { pipelineStepExecutions } from '../pipelines/tables.ts'

/** Location of a started task, which is needed to observe and stop it even if the execution environment changes. */
export type TaskPlace = InAccount & { clusterName: string; taskDefinitionArn: string }

/** Location of a started build in the account's build service. */
export type BuildPlace = InAccount & { projectName: string }

type InAccount = { cloudAccountId: string; region: string; logGroupName: string }

/** Tasks and builds in the cloud, each of which is a runner for one attempt of a step. */
export const runnerTasks = pgTable(
  'runner_tasks',
  {
    ...recordColumns,
    organizationId: text('organization_id')
      .notNull()
      .references(() => organizations.id, { onDelete: 'cascade' }),
    executionEnvironmentId: text('execution_environment_id').notNull(),
    stepExecutionId: text('step_execution_id')
      .notNull()
      .references(() => pipelineStepExecutions.id, { onDelete: 'cascade' }),
    /** Number of the only attempt that it executes. */
    attemptEpoch: integer('attempt_epoch').notNull(),
    status: text('status').$type<RunnerTaskStatus>().notNull(),
    /** Hexadecimal SHA-256 of its launch token. */
    tokenHash: text('token_hash').notNull().unique(),
    /** Hash of the key of the runner that used the token; no other runner can use it. */
    redeemedByHash: text('redeemed_by_hash'),
    /** Time at which its runner received the attempt. */
    claimedAt: timestampColumn('claimed_at'),
    /** Stored before the first request to start it. */
    place: jsonb('place').$type<TaskPlace | BuildPlace>(),
    taskArn: text('task_arn'),
    /** Time at which its attempt was first observed as ended while the task was running. */
    overAt: timestampColumn('over_at'),
    stopRequestedAt: timestampColumn('stop_requested_at'),
    /** Last reason for which it could not be started, as a message. */
    trouble: text('trouble'),
    /** Number of consecutive polls without a change, for the back-off. */
    idleLooks: integer('idle_looks').notNull().default(0),
    /** Time by which its runner must have received the attempt. */
    deadlineAt: timestampColumn('deadline_at').notNull(),
    revision: integer('revision').notNull().default(0),
    wakeAt: timestampColumn('wake_at'),
    wakeSeq: integer('wake_seq').notNull().default(0),
  },
  (table) => [
    uniqueIndex('runner_tasks_once').on(table.stepExecutionId, table.attemptEpoch),
    index('runner_tasks_environment').on(table.organizationId, table.executionEnvironmentId, table.id),
    check('runner_tasks_wake_until_they_end', sql`(status = 'ENDED') = (wake_at is null)`),
    index('runner_tasks_wake').on(table.wakeAt).where(sql`wake_at is not null`),
  ],
)

export type RunnerTaskRow = typeof runnerTasks.$inferSelect
