import { recordColumns, timestampColumn } from '../../platform/db/columns.ts'
import { pgTable, sql, text, uniqueIndex } from '../../platform/db/drizzle.ts'
import { organizations } from '../organizations/tables.ts'

/** Email domains claimed by organizations. Any number may claim a domain, but only one can verify it. */
export const signInDomains = pgTable(
  'sign_in_domains',
  {
    ...recordColumns,
    organizationId: text('organization_id')
      .notNull()
      .references(() => organizations.id, { onDelete: 'cascade' }),
    domain: text('domain').notNull(),
    /** Value of the DNS record. It is public and no secret. */
    challenge: text('challenge').notNull(),
    verifiedAt: timestampColumn('verified_at'),
  },
  (table) => [
    uniqueIndex('sign_in_domains_organization_domain').on(table.organizationId, table.domain),
    uniqueIndex('sign_in_domains_verified').on(table.domain).where(sql`verified_at is not null`),
  ],
)
