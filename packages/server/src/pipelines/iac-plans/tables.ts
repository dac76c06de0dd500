import type { IacChangeType, PlanCost, PlanReview, PlanTypeCount } from '@sluice/contract'
import { formerVerdicts } from '../../gates/former-names.ts'
import { organizations } from '../../identity/organizations/tables.ts'
import type { SealedColumn } from '../../platform/crypto/place.ts'
import { recordColumns, timestampColumn } from '../../platform/db/columns.ts'
import { bigint, boolean, index, jsonb, pgTable, text, uniqueIndex } from '../../platform/db/drizzle.ts'
import { renamedJson } from '../../platform/db/renamed.ts'
import { stacks, stackWorkspaces } from '../../stacks/stacks/tables.ts'
import { pipelineRuns, pipelineStepExecutions } from '../pipelines/tables.ts'

type Json = Record<string, unknown>

export type PlanSummary = {
  changeCounts: Partial<Record<IacChangeType, number>>
  driftedCount: number
  /** Absent from plans that were made before these counts existed. */
  typeCounts?: PlanTypeCount[]
  /** Present if there is a price list. */
  cost?: PlanCost
}

/** Saved plans. A plan is applied at most once, and only to the state and configuration that it was made for. */
export const iacPlans = pgTable(
  'iac_plans',
  {
    ...recordColumns,
    organizationId: text('organization_id')
      .notNull()
      .references(() => organizations.id, { onDelete: 'cascade' }),
    stackId: text('stack_id')
      .notNull()
      .references(() => stacks.id, { onDelete: 'cascade' }),
    workspaceId: text('workspace_id').references(() => stackWorkspaces.id, { onDelete: 'cascade' }),
    pipelineRunId: text('pipeline_run_id')
      .notNull()
      .references(() => pipelineRuns.id, { onDelete: 'cascade' }),
    stepExecutionId: text('step_execution_id')
      .notNull()
      .references(() => pipelineStepExecutions.id, { onDelete: 'cascade' }),
    kind: text('kind').$type<'PLAN' | 'DESTROY' | 'DRIFT'>().notNull(),
    status: text('status').$type<'PLANNED' | 'APPLYING' | 'APPLIED' | 'FAILED' | 'REJECTED' | 'STALE'>().notNull(),
    hasChanges: boolean('has_changes').notNull(),
    /** Number of resources to create, change and so on. */
    summary: jsonb('summary').$type<PlanSummary>().notNull(),
    /** Changes other than those of resources that approvers must see; null in plans of earlier versions. */
    review: jsonb('review').$type<PlanReview>(),
    tool: text('tool').notNull(),
    toolVersion: text('tool_version').notNull(),
    /** Planned source, with the commit of its ref. */
    source: jsonb('source').$type<Json>().notNull(),
    /** Lineage of the state that it was made for; null if there was none. */
    lineage: text('lineage'),
    serial: bigint('serial', { mode: 'number' }),
    configDigest: text('config_digest').notNull(),
    inputsDigest: text('inputs_digest').notNull(),
    /** Compressed and encrypted plan file and provider lock file; deleted once it cannot be applied any more. */
    sealed: text('sealed'),
    appliedByStepExecutionId: text('applied_by_step_execution_id'),
    appliedAt: timestampColumn('applied_at'),
    /** Policy decisions when the plan was made and again when it was acquired; null if no policy evaluated it. */
    policies: renamedJson('policies', formerVerdicts),
  },
  (table) => [
    uniqueIndex('iac_plans_step').on(table.stepExecutionId),
    uniqueIndex('iac_plans_applied_by').on(table.appliedByStepExecutionId),
    index('iac_plans_run').on(table.pipelineRunId),
    index('iac_plans_organization').on(table.organizationId, table.id),
  ],
)

export type IacPlanRow = typeof iacPlans.$inferSelect

/** Bound to the step: a repeated plan replaces the previous one and takes over its id only when it is stored. */
export const sealedPlans = {
  column: iacPlans.sealed,
  row: [iacPlans.stepExecutionId],
  purpose: 'default values',
} as const satisfies SealedColumn
