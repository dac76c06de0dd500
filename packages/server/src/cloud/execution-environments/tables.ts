import type { ExecutionNetwork } from '@sluice/contract'
import { organizations } from '../../identity/organizations/tables.ts'
import { recordColumns } from '../../platform/db/columns.ts'
import { jsonb, pgTable, text, uniqueIndex } from '../../platform/db/drizzle.ts'
import { cloudAccounts } from '../cloud-accounts/tables.ts'

/** Where runners run: an account, a region and a network in it. */
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
    cloudAccountId: text('cloud_account_id')
      .notNull()
      .references(() => cloudAccounts.id),
    region: text('region').notNull(),
    network: jsonb('network').$type<ExecutionNetwork>(),
  },
  (table) => [uniqueIndex('execution_environments_organization_given_id').on(table.organizationId, table.givenId)],
)

export type ExecutionEnvironmentRow = typeof executionEnvironments.$inferSelect
