import { organizations } from '../../identity/organizations/tables.ts'
import type { SealedColumn } from '../../platform/crypto/place.ts'
import { recordColumns } from '../../platform/db/columns.ts'
import { pgTable, text, uniqueIndex } from '../../platform/db/drizzle.ts'

/** Self-managed GitLab servers of organizations, with Sluice's OAuth application there. */
export const githostbInstances = pgTable(
  'githostb_instances',
  {
    ...recordColumns,
    organizationId: text('organization_id')
      .notNull()
      .references(() => organizations.id, { onDelete: 'cascade' }),
    /** Origin, without path or trailing slash. */
    baseUrl: text('base_url').notNull(),
    clientId: text('client_id').notNull(),
    sealedClientSecret: text('sealed_client_secret').notNull(),
  },
  (table) => [uniqueIndex('githostb_instances_once').on(table.organizationId, table.baseUrl)],
)

export type GithostbInstanceRow = typeof githostbInstances.$inferSelect

export const sealedClientSecrets = {
  column: githostbInstances.sealedClientSecret,
  row: [githostbInstances.id, githostbInstances.baseUrl],
  purpose: 'git hosts',
} as const satisfies SealedColumn
