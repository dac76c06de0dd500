import type { ExecutionEnvironmentKind, ExecutionNetwork, ExecutionSize } from '@sluice/contract'
import type { RunnerTools } from '@sluice/contract/runner-protocol'
import { organizations } from '../../identity/organizations/tables.ts'
import { moment, recordColumns } from '../../platform/db/columns.ts'
import { check, jsonb, pgTable, primaryKey, sql, text, uniqueIndex } from '../../platform/db/drizzle.ts'
import { cloudAccounts } from '../cloud-accounts/tables.ts'

/** What tasks are started from in the cloud, and a digest of what was registered as that. */
export type RegisteredTask = { arn: string; digest: string }

/** Where the programs of steps run: a pool of machines, or a region of an account with a network in it. */
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
    /** Of the kind `cloud`, as is what follows. */
    cloudAccountId: text('cloud_account_id').references(() => cloudAccounts.id),
    region: text('region'),
    network: jsonb('network').$type<ExecutionNetwork>(),
    size: jsonb('size').$type<ExecutionSize>(),
    clusterName: text('cluster_name'),
    /** Since when steps run there. From then on they run nowhere else, whatever is in the way. */
    readyAt: moment('ready_at'),
    /** What the last check found in the way, for people. */
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

/** The versions of the iac tools that runners told of: those of a pool, and the installation's own. */
export const runnerTools = pgTable(
  'runner_tools',
  {
    pool: text('pool').notNull(),
    runnerId: text('runner_id').notNull(),
    /** Null for the installation's own. */
    executionEnvironmentId: text('execution_environment_id').references(() => executionEnvironments.id, {
      onDelete: 'cascade',
    }),
    versions: jsonb('versions').$type<RunnerTools>().notNull(),
    toldAt: moment('told_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.pool, table.runnerId] })],
)

export type ExecutionEnvironmentRow = typeof executionEnvironments.$inferSelect
