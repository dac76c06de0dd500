import { recordColumns } from '../../platform/db/columns.ts'
import { pgTable, text } from '../../platform/db/drizzle.ts'
import { memberships, organizations } from '../organizations/tables.ts'

/**
 * Organizations without password sign-in, except for one owner in case the provider is unavailable. A policy is deleted
 * with that owner's membership.
 */
export const signInPolicies = pgTable('sign_in_policies', {
  ...recordColumns,
  organizationId: text('organization_id')
    .notNull()
    .unique()
    .references(() => organizations.id, { onDelete: 'cascade' }),
  breakGlassMembershipId: text('break_glass_membership_id')
    .notNull()
    .references(() => memberships.id, { onDelete: 'cascade' }),
})
