import type { TeamMemberSource } from '@sluice/contract'
import { recordColumns } from '../../platform/db/columns.ts'
import { check, index, pgTable, sql, text, uniqueIndex } from '../../platform/db/drizzle.ts'
import { renamedText } from '../../platform/db/renamed.ts'
import { identityProviders, memberships, organizations, serviceAccounts } from '../organizations/tables.ts'

export const teams = pgTable(
  'teams',
  {
    ...recordColumns,
    organizationId: text('organization_id')
      .notNull()
      .references(() => organizations.id, { onDelete: 'cascade' }),
    name: text('name').notNull(),
  },
  (table) => [uniqueIndex('teams_organization_name').on(table.organizationId, table.name)],
)

/** Team members: memberships or service accounts. Deleting one removes it from its teams. */
export const teamMembers = pgTable(
  'team_members',
  {
    ...recordColumns,
    organizationId: text('organization_id')
      .notNull()
      .references(() => organizations.id, { onDelete: 'cascade' }),
    teamId: text('team_id')
      .notNull()
      .references(() => teams.id, { onDelete: 'cascade' }),
    membershipId: text('membership_id').references(() => memberships.id, { onDelete: 'cascade' }),
    serviceAccountId: text('service_account_id').references(() => serviceAccounts.id, { onDelete: 'cascade' }),
    source: renamedText<TeamMemberSource>('source', { MANUAL: 'HAND' }).notNull().default('MANUAL'),
    /** Provider whose group added the member; null if manual or from the installation's provider. */
    providerId: text('provider_id').references(() => identityProviders.id, { onDelete: 'cascade' }),
  },
  (table) => [
    index('team_members_organization').on(table.organizationId, table.id),
    uniqueIndex('team_members_membership').on(table.membershipId, table.teamId),
    uniqueIndex('team_members_service_account').on(table.serviceAccountId, table.teamId),
    index('team_members_team').on(table.teamId),
    index('team_members_provider').on(table.providerId),
    check('team_members_one', sql`num_nonnulls(membership_id, service_account_id) = 1`),
    check(
      'team_members_of_groups',
      sql`case source when 'GROUP' then membership_id is not null else provider_id is null end`,
    ),
  ],
)

export type TeamRow = typeof teams.$inferSelect
export type TeamMemberRow = typeof teamMembers.$inferSelect
