import type { PipelineRunStatus } from '@sluice/contract'
import { codeSources } from '../../git/code-sources/tables.ts'
import { organizations } from '../../identity/organizations/tables.ts'
import { recordColumns, timestampColumn } from '../../platform/db/columns.ts'
import { boolean, index, integer, pgTable, sql, text, uniqueIndex } from '../../platform/db/drizzle.ts'
import { pipelineRuns, pipelines } from '../pipelines/tables.ts'

/** Reports to the Git host about runs that a push started or that build. Runs never wait for them. */
export const gitFeedback = pgTable(
  'git_feedback',
  {
    ...recordColumns,
    organizationId: text('organization_id')
      .notNull()
      .references(() => organizations.id, { onDelete: 'cascade' }),
    codeSourceId: text('code_source_id')
      .notNull()
      .references(() => codeSources.id, { onDelete: 'cascade' }),
    pipelineId: text('pipeline_id')
      .notNull()
      .references(() => pipelines.id, { onDelete: 'cascade' }),
    pipelineRunId: text('pipeline_run_id')
      .notNull()
      .references(() => pipelineRuns.id, { onDelete: 'cascade' }),
    branch: text('branch').notNull(),
    commit: text('commit').notNull(),
    /** Status of the run that was last reported. */
    toldStatus: text('told_status').$type<PipelineRunStatus>(),
    /** Host's id of the check. */
    checkId: text('check_id'),
    /** Start of a call that creates the check, as a lease: concurrent calls would create two. */
    checkAttemptedAt: timestampColumn('check_attempted_at'),
    /** Whether the run is reported as a commit status, because the app has or had no permission for checks. */
    hasStatus: boolean('has_status').notNull().default(false),
    /** Number of consecutive failed reports. */
    failures: integer('failures').notNull().default(0),
    /** Reason why reporting was given up. */
    failure: text('failure'),
    /** Time of the next report; null if nothing is left to report. */
    wakeAt: timestampColumn('wake_at'),
  },
  (table) => [
    uniqueIndex('git_feedback_run').on(table.pipelineRunId),
    index('git_feedback_commit').on(table.codeSourceId, table.commit),
    index('git_feedback_wake').on(table.wakeAt).where(sql`wake_at is not null`),
  ],
)

export type GitFeedbackRow = typeof gitFeedback.$inferSelect
