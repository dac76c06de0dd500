import { recordColumns } from '../../platform/db/columns.ts'
import { pgTable, text } from '../../platform/db/drizzle.ts'
import { memberships, organizations } from '../organizations/tables.ts'

/**
 * An organization whose people do not sign in by password, but for one owner: so that nobody is locked out when the
 * identity provider is away. It goes with that membership, for the same reason.
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
