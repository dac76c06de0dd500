import type { IacChangeReasons, IacResource, UserFacingError } from '@sluice/contract'
import { organizations } from '../../identity/organizations/tables.ts'
import { pipelineRuns, pipelineStepExecutions, pipelines } from '../../pipelines/pipelines/tables.ts'
import { recordColumns } from '../../platform/db/columns.ts'
import { boolean, index, jsonb, pgTable, sql, text } from '../../platform/db/drizzle.ts'
import { stacks } from '../../stacks/stacks/tables.ts'

/** Resources as planned or changed by runs of an IaC tool. */
export const iacResources = pgTable(
  'iac_resources',
  {
    ...recordColumns,
    organizationId: text('organization_id')
      .notNull()
      .references(() => organizations.id, { onDelete: 'cascade' }),
    pipelineId: text('pipeline_id')
      .notNull()
      .references(() => pipelines.id, { onDelete: 'cascade' }),
    pipelineRunId: text('pipeline_run_id')
      .notNull()
      .references(() => pipelineRuns.id, { onDelete: 'cascade' }),
    stepExecutionId: text('step_execution_id')
      .notNull()
      .references(() => pipelineStepExecutions.id, { onDelete: 'cascade' }),
    stackId: text('stack_id')
      .notNull()
      .references(() => stacks.id, { onDelete: 'cascade' }),
    address: text('address').notNull(),
    moduleAddress: text('module_address'),
    indexKey: text('index_key'),
    provider: text('provider').notNull(),
    resourceName: text('resource_name').notNull(),
    resourceType: text('resource_type').notNull(),
    changeType: text('change_type').$type<IacResource['changeType']>().notNull(),
    /** Null in rows written before reasons were recorded. */
    changeReasons: jsonb('change_reasons').$type<IacChangeReasons>(),
    runType: text('run_type').$type<IacResource['runType']>().notNull(),
    driftStatus: text('drift_status').$type<IacResource['driftStatus']>().notNull(),
    isInCurrentState: boolean('is_in_current_state').notNull(),
    tainted: boolean('tainted').notNull().default(false),
    vendor: text('vendor').$type<IacResource['vendor']>().notNull(),
    vendorData: jsonb('vendor_data').$type<IacResource['vendorData']>().notNull(),
    error: jsonb('error').$type<UserFacingError>(),
  },
  (table) => [
    index('iac_resources_organization').on(table.organizationId, table.id),
    index('iac_resources_address').on(table.pipelineId, table.address, table.pipelineRunId),
    index('iac_resources_run').on(table.pipelineRunId),
    index('iac_resources_stack').on(table.stackId),
    index('iac_resources_drifted')
      .on(table.organizationId, table.stackId, table.address)
      .where(sql`drift_status = 'DRIFTED' and is_in_current_state`),
  ],
)

export type IacResourceRow = typeof iacResources.$inferSelect
