import type { IacChangeType, PlanCost, PlanReview, PlanTypeCount } from '@sluice/contract'
import { formerVerdicts } from '../../gates/former-names.ts'
import { organizations } from '../../identity/organizations/tables.ts'
import type { SealedColumn } from '../../platform/crypto/place.ts'
import { moment, recordColumns } from '../../platform/db/columns.ts'
import { bigint, boolean, index, jsonb, pgTable, text, uniqueIndex } from '../../platform/db/drizzle.ts'
import { renamedJson } from '../../platform/db/renamed.ts'
import { stacks, stackWorkspaces } from '../../stacks/stacks/tables.ts'
import { pipelineRuns, pipelineStepExecutions } from '../pipelines/tables.ts'

type Json = Record<string, unknown>

export type PlanSummary = {
  changeCounts: Partial<Record<IacChangeType, number>>
  driftedCount: number
  /** Of plans that were made before it was counted there is none. */
  typeCounts?: PlanTypeCount[]
  /** Where there was a price list. */
  cost?: PlanCost
}

/** A saved plan. It is applied at most once, and only to the state and the configuration that it was made for. */
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
    /** How many resources are created, changed and so on. */
    summary: jsonb('summary').$type<PlanSummary>().notNull(),
    /** What approvers must see beside the resources; null in plans of versions that did not store it. */
    review: jsonb('review').$type<PlanReview>(),
    tool: text('tool').notNull(),
    toolVersion: text('tool_version').notNull(),
    /** What was planned: the source with the commit that its ref stood for. */
    source: jsonb('source').$type<Json>().notNull(),
    /** The state that it was made for; null for none yet. */
    lineage: text('lineage'),
    serial: bigint('serial', { mode: 'number' }),
    configDigest: text('config_digest').notNull(),
    inputsDigest: text('inputs_digest').notNull(),
    /**
     * The saved plan file and the lock file of its providers, compressed and sealed; gone once it cannot be applied.
     */
    sealed: text('sealed'),
    appliedByStepExecutionId: text('applied_by_step_execution_id'),
    appliedAt: moment('applied_at'),
    /** What it was judged by when it was made, and again when it was taken to be applied; null where nothing asked. */
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

/** By its step: a plan that is made again takes the place of the one before, whose id it is given only then. */
export const sealedPlans = {
  column: iacPlans.sealed,
  row: [iacPlans.stepExecutionId],
  purpose: 'default values',
} as const satisfies SealedColumn
