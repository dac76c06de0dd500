import type { DriftCheck, UserFacingError } from '@sluice/contract'
import type { Static } from 'typebox'
import { organizations } from '../../identity/organizations/tables.ts'
import { pipelines } from '../../pipelines/pipelines/tables.ts'
import { timestampColumn } from '../../platform/db/columns.ts'
import { boolean, index, jsonb, pgTable, text } from '../../platform/db/drizzle.ts'
import { renamedText } from '../../platform/db/renamed.ts'
import { stacks } from '../../stacks/stacks/tables.ts'

/** Drift check schedules and latest results of stacks. A row is deleted with its stack. */
export const stackDrifts = pgTable(
  'stack_drifts',
  {
    stackId: text('stack_id')
      .primaryKey()
      .references(() => stacks.id, { onDelete: 'cascade' }),
    organizationId: text('organization_id')
      .notNull()
      .references(() => organizations.id, { onDelete: 'cascade' }),
    /** Null without a schedule; the columns below are then unused. */
    cron: text('cron'),
    timeZone: text('time_zone'),
    nextAt: timestampColumn('next_at'),
    reconciles: boolean('reconciles').notNull().default(false),
    /** Pipeline for checks; null: that of the stack's module instance. */
    pipelineId: text('pipeline_id').references(() => pipelines.id, { onDelete: 'set null' }),
    /** Status of the latest drift check. */
    status: renamedText<Static<typeof DriftCheck>['status']>('status', { IN_PROGRESS: 'UNDER_WAY' }),
    runId: text('run_id'),
    checkedAt: timestampColumn('looked_at'),
    error: jsonb('error').$type<UserFacingError>(),
    /** Null while nothing has drifted. */
    driftedSince: timestampColumn('drifted_since'),
    /** Run started to correct this drift. */
    reconcilingRunId: text('reconciling_run_id'),
  },
  (table) => [
    index('stack_drifts_next').on(table.nextAt),
    index('stack_drifts_pipeline').on(table.pipelineId),
    index('stack_drifts_organization').on(table.organizationId, table.status),
  ],
)

export type StackDriftRow = typeof stackDrifts.$inferSelect
