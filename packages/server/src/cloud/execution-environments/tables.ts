import type { ExecutionEnvironmentKind, ExecutionNetwork } from '@sluice/contract'
import { organizations } from '../../identity/organizations/tables.ts'
import { recordColumns } from '../../platform/db/columns.ts'
import { check, jsonb, pgTable, sql, text, uniqueIndex } from '../../platform/db/drizzle.ts'
import { cloudAccounts } from '../cloud-accounts/tables.ts'

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
  },
  (table) => [
    uniqueIndex('execution_environments_organization_given_id').on(table.organizationId, table.givenId),
    check(
      'execution_environments_pools_have_no_place',
      sql`kind = 'cloud' or (cloud_account_id is null and region is null)`,
    ),
  ],
)

export type ExecutionEnvironmentRow = typeof executionEnvironments.$inferSelect
