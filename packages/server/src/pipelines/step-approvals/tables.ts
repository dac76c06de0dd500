import type { Delegators, PrincipalType } from '@sluice/contract'
import { organizations } from '../../identity/organizations/tables.ts'
import { recordColumns } from '../../platform/db/columns.ts'
import { index, jsonb, pgTable, text, uniqueIndex } from '../../platform/db/drizzle.ts'
import { pipelineStepExecutions } from '../pipelines/tables.ts'

/** Approvals of steps that rules require. Deleted with the step. */
export const stepApprovals = pgTable(
  'step_approvals',
  {
    ...recordColumns,
    organizationId: text('organization_id')
      .notNull()
      .references(() => organizations.id, { onDelete: 'cascade' }),
    pipelineRunId: text('pipeline_run_id').notNull(),
    stepExecutionId: text('step_execution_id')
      .notNull()
      .references(() => pipelineStepExecutions.id, { onDelete: 'cascade' }),
    actorType: text('actor_type').$type<PrincipalType>().notNull(),
    /** Id of the membership or service account. */
    actorId: text('actor_id').notNull(),
    actorName: text('actor_name').notNull(),
    comment: text('comment'),
    /** User on whose behalf the approver decided; null if none. */
    onBehalfOf: jsonb('in_place_of').$type<Delegators>(),
    /** Identities of the plans that the approval covers. */
    plans: text('plans').notNull(),
  },
  (table) => [
    index('step_approvals_organization').on(table.organizationId, table.id),
    // A user can approve a step once.
    uniqueIndex('step_approvals_actor').on(table.stepExecutionId, table.actorId),
  ],
)

export type StepApprovalRow = typeof stepApprovals.$inferSelect
