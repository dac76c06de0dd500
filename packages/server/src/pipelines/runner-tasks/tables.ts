import type { RunnerTaskStatus } from '@sluice/contract'
import { organizations } from '../../identity/organizations/tables.ts'
import { moment, recordColumns } from '../../platform/db/columns.ts'
import { check, index, integer, jsonb, pgTable, sql, text, uniqueIndex } from '../../platform/db/drizzle.ts'
import { pipelineStepExecutions } from '../pipelines/tables.ts'

/** Where a task was started: what is needed to see and stop it, whatever becomes of the execution environment. */
export type TaskPlace = InAccount & { clusterName: string; taskDefinitionArn: string }

/** The same, of a build of the account's build service. */
export type BuildPlace = InAccount & { projectName: string }

type InAccount = { cloudAccountId: string; region: string; logGroupName: string }

/** Tasks and builds in the cloud, each a runner for one attempt of one step. */
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
    /** The attempt that it is for, and no other. */
    attemptEpoch: integer('attempt_epoch').notNull(),
    status: text('status').$type<RunnerTaskStatus>().notNull(),
    /** Of the token that it is started with: SHA-256, hexadecimal. */
    tokenHash: text('token_hash').notNull().unique(),
    /** Of the key of whoever redeemed the token: nobody else can. */
    redeemedByHash: text('redeemed_by_hash'),
    /** When its runner was given the attempt. */
    claimedAt: moment('claimed_at'),
    /** Written down before the cloud is first asked to start it. */
    place: jsonb('place').$type<TaskPlace | BuildPlace>(),
    /** Or of the build. */
    taskArn: text('task_arn'),
    /** When its attempt was first seen to be over while it still ran. */
    overAt: moment('over_at'),
    stopRequestedAt: moment('stop_requested_at'),
    /** What last kept it from being started, for people. */
    trouble: text('trouble'),
    /** Looks in a row that changed nothing: the more, the later the next. */
    idleLooks: integer('idle_looks').notNull().default(0),
    /** Until when its runner must have been given the attempt. */
    deadlineAt: moment('deadline_at').notNull(),
    revision: integer('revision').notNull().default(0),
    wakeAt: moment('wake_at'),
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
