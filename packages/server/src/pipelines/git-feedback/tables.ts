import type { PipelineRunStatus } from '@sluice/contract'
import { codeSources } from '../../git/code-sources/tables.ts'
import { organizations } from '../../identity/organizations/tables.ts'
import { moment, recordColumns } from '../../platform/db/columns.ts'
import { boolean, index, integer, pgTable, sql, text, uniqueIndex } from '../../platform/db/drizzle.ts'
import { pipelineRuns, pipelines } from '../pipelines/tables.ts'

/** What the git host is told of a run that a push set off, or that builds. The run never waits for it. */
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
    /** The status of the run that the host was told of last. */
    toldStatus: text('told_status').$type<PipelineRunStatus>(),
    /** What the host calls the check that it shows the run as. */
    checkId: text('check_id'),
    /** When a call began to have the host make it: two at once would make two. */
    checkAttemptedAt: moment('check_attempted_at'),
    /** The host shows the run by a status at its commit, since we may make no checks there or did not then. */
    hasStatus: boolean('has_status').notNull().default(false),
    /** How often in a row the host could not be told. */
    failures: integer('failures').notNull().default(0),
    /** Why it was given up. */
    failure: text('failure'),
    /** From when on the host may be told; null once there is no more to tell. */
    wakeAt: moment('wake_at'),
  },
  (table) => [
    uniqueIndex('git_feedback_run').on(table.pipelineRunId),
    index('git_feedback_commit').on(table.codeSourceId, table.commit),
    index('git_feedback_wake').on(table.wakeAt).where(sql`wake_at is not null`),
  ],
)

export type GitFeedbackRow = typeof gitFeedback.$inferSelect
