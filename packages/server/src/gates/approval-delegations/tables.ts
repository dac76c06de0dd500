import { memberships, organizations } from '../../identity/organizations/tables.ts'
import { recordColumns, timestampColumn } from '../../platform/db/columns.ts'
import { index, pgTable, text } from '../../platform/db/drizzle.ts'

/** Delegations of approvals from one member to another for a period. Deleted with either member. */
export const approvalDelegations = pgTable(
  'approval_delegations',
  {
    ...recordColumns,
    organizationId: text('organization_id')
      .notNull()
      .references(() => organizations.id, { onDelete: 'cascade' }),
    membershipId: text('membership_id')
      .notNull()
      .references(() => memberships.id, { onDelete: 'cascade' }),
    delegateId: text('delegate_id')
      .notNull()
      .references(() => memberships.id, { onDelete: 'cascade' }),
    from: timestampColumn('from').notNull(),
    until: timestampColumn('until').notNull(),
    reason: text('reason'),
  },
  (table) => [
    index('approval_delegations_organization').on(table.organizationId, table.id),
    index('approval_delegations_membership').on(table.membershipId),
    index('approval_delegations_delegate').on(table.delegateId),
  ],
)

export type ApprovalDelegationRow = typeof approvalDelegations.$inferSelect
