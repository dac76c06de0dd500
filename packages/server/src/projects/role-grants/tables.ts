import type { GrantedRole } from '@sluice/contract'
import { memberships, organizations, serviceAccounts } from '../../identity/organizations/tables.ts'
import { teams } from '../../identity/teams/tables.ts'
import { recordColumns } from '../../platform/db/columns.ts'
import { check, index, pgTable, sql, text, uniqueIndex } from '../../platform/db/drizzle.ts'
import { environments, projects } from '../projects/tables.ts'

/** Role on a project or on one of its environments. Deleted with its grantee and its scope. */
export const roleGrants = pgTable(
  'role_grants',
  {
    ...recordColumns,
    organizationId: text('organization_id')
      .notNull()
      .references(() => organizations.id, { onDelete: 'cascade' }),
    membershipId: text('membership_id').references(() => memberships.id, { onDelete: 'cascade' }),
    serviceAccountId: text('service_account_id').references(() => serviceAccounts.id, { onDelete: 'cascade' }),
    teamId: text('team_id').references(() => teams.id, { onDelete: 'cascade' }),
    projectId: text('project_id')
      .notNull()
      .references(() => projects.id, { onDelete: 'cascade' }),
    environmentId: text('environment_id').references(() => environments.id, { onDelete: 'cascade' }),
    role: text('role').$type<GrantedRole>().notNull(),
  },
  (table) => [
    index('role_grants_organization').on(table.organizationId, table.id),
    // Each role once per scope; an index over nullable columns would not treat missing environments as equal.
    uniqueIndex('role_grants_once').on(
      table.projectId,
      sql`coalesce(environment_id, '')`,
      sql`coalesce(membership_id, service_account_id, team_id)`,
      table.role,
    ),
    index('role_grants_membership').on(table.membershipId),
    index('role_grants_service_account').on(table.serviceAccountId),
    index('role_grants_team').on(table.teamId),
    index('role_grants_environment').on(table.environmentId),
    check('role_grants_one_principal', sql`num_nonnulls(membership_id, service_account_id, team_id) = 1`),
  ],
)

export type RoleGrantRow = typeof roleGrants.$inferSelect
