import type { ExecutionEnvironmentKind, ExecutionNetwork, ExecutionSize } from '@sluice/contract'
import type { RunnerTools } from '@sluice/contract/runner-protocol'
import { organizations } from '../../identity/organizations/tables.ts'
import { recordColumns, timestampColumn } from '../../platform/db/columns.ts'
import { check, jsonb, pgTable, primaryKey, sql, text, uniqueIndex } from '../../platform/db/drizzle.ts'
import { cloudAccounts } from '../cloud-accounts/tables.ts'

/** Task definition registered for runner tasks, with a digest to detect changes. */
export type RegisteredTask = { arn: string; digest: string }

/** Environments in which steps run: a pool of runners, or a region and network of a cloud account. */
export const executionEnvironments = pgTable(
  'execution_environments',
  {
    ...recordColumns,
    organizationId: text('organization_id')
      .notNull()
      .references(() => organizations.id, { onDelete: 'cascade' }),
    givenId: text('given_id').notNull(),
    name: text('name').notNull(),
    description: text('description'),
    kind: text('kind').$type<ExecutionEnvironmentKind>().notNull().default('cloud'),
    /** Set only for kind `cloud`, like the columns below. */
    cloudAccountId: text('cloud_account_id').references(() => cloudAccounts.id),
    region: text('region'),
    network: jsonb('network').$type<ExecutionNetwork>(),
    size: jsonb('size').$type<ExecutionSize>(),
    clusterName: text('cluster_name'),
    /** Time since when steps run there. They run nowhere else afterwards, even if a check finds a problem. */
    readyAt: timestampColumn('ready_at'),
    /** Problem found by the last check, as a sentence. */
    problem: text('problem'),
    registeredTask: jsonb('registered_task').$type<RegisteredTask>(),
  },
  (table) => [
    uniqueIndex('execution_environments_organization_given_id').on(table.organizationId, table.givenId),
    check(
      'execution_environments_pools_have_no_place',
      sql`kind = 'cloud' or (cloud_account_id is null and region is null)`,
    ),
  ],
)

/** IaC tool versions that runners reported, for the pools of environments and the installation's own. */
export const runnerTools = pgTable(
  'runner_tools',
  {
    pool: text('pool').notNull(),
    runnerId: text('runner_id').notNull(),
    /** Null for the installation's own runners. */
    executionEnvironmentId: text('execution_environment_id').references(() => executionEnvironments.id, {
      onDelete: 'cascade',
    }),
    versions: jsonb('versions').$type<RunnerTools>().notNull(),
    toldAt: timestampColumn('told_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.pool, table.runnerId] })],
)

export type ExecutionEnvironmentRow = typeof executionEnvironments.$inferSelect
