import type { DriftCheck, UserFacingError } from '@sluice/contract'
import type { Static } from 'typebox'
import { organizations } from '../../identity/organizations/tables.ts'
import { pipelines } from '../../pipelines/pipelines/tables.ts'
import { moment } from '../../platform/db/columns.ts'
import { boolean, index, jsonb, pgTable, text } from '../../platform/db/drizzle.ts'
import { renamedText } from '../../platform/db/renamed.ts'
import { stacks } from '../../stacks/stacks/tables.ts'

/** When a stack is looked at for drift, and what the latest look came to. It goes with the stack. */
export const stackDrifts = pgTable(
  'stack_drifts',
  {
    stackId: text('stack_id')
      .primaryKey()
      .references(() => stacks.id, { onDelete: 'cascade' }),
    organizationId: text('organization_id')
      .notNull()
      .references(() => organizations.id, { onDelete: 'cascade' }),
    /** Null: there is no schedule, and what follows says nothing. */
    cron: text('cron'),
    timeZone: text('time_zone'),
    nextAt: moment('next_at'),
    reconciles: boolean('reconciles').notNull().default(false),
    /** What looks; null: what the stack's module instance says. */
    pipelineId: text('pipeline_id').references(() => pipelines.id, { onDelete: 'set null' }),
    /** The latest look. */
    status: renamedText<Static<typeof DriftCheck>['status']>('status', { IN_PROGRESS: 'UNDER_WAY' }),
    runId: text('run_id'),
    checkedAt: moment('looked_at'),
    error: jsonb('error').$type<UserFacingError>(),
    /** Null while nothing has drifted. */
    driftedSince: moment('drifted_since'),
    /** The run that was begun for this drift. */
    reconcilingRunId: text('reconciling_run_id'),
  },
  (table) => [
    index('stack_drifts_next').on(table.nextAt),
    index('stack_drifts_pipeline').on(table.pipelineId),
    index('stack_drifts_organization').on(table.organizationId, table.status),
  ],
)

export type StackDriftRow = typeof stackDrifts.$inferSelect
