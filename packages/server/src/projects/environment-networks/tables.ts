import { cloudAccounts } from '../../cloud/cloud-accounts/tables.ts'
import { organizations } from '../../identity/organizations/tables.ts'
import { jsonb, pgTable, text } from '../../platform/db/drizzle.ts'
import { environments } from '../projects/tables.ts'

/** Default networks of environments. Deleted with the environment and with the account. */
export const environmentNetworks = pgTable('environment_networks', {
  environmentId: text('environment_id')
    .primaryKey()
    .references(() => environments.id, { onDelete: 'cascade' }),
  organizationId: text('organization_id')
    .notNull()
    .references(() => organizations.id, { onDelete: 'cascade' }),
  /** Project of the environment, to which a caller may lack access. */
  projectId: text('project_id').notNull(),
  cloudAccountId: text('cloud_account_id')
    .notNull()
    .references(() => cloudAccounts.id, { onDelete: 'cascade' }),
  region: text('region').notNull(),
  network: text('network').notNull(),
  subnets: jsonb('subnets').$type<string[]>().notNull(),
  securityGroups: jsonb('security_groups').$type<string[]>().notNull(),
})
