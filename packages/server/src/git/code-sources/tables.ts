import type { CodeSource } from '@sluice/contract'
import { organizations } from '../../identity/organizations/tables.ts'
import { recordColumns } from '../../platform/db/columns.ts'
import { boolean, index, jsonb, pgTable, sql, text, uniqueIndex } from '../../platform/db/drizzle.ts'

/** Git repositories that organizations have connected. */
export const codeSources = pgTable(
  'code_sources',
  {
    ...recordColumns,
    organizationId: text('organization_id')
      .notNull()
      .references(() => organizations.id, { onDelete: 'cascade' }),
    type: text('type').$type<CodeSource['type']>().notNull(),
    /** Normalized: https, lower case, without `.git`. */
    repoUrl: text('repo_url').notNull(),
    repoName: text('repo_name').notNull(),
    /** Addresses before renames, which configurations may still use. */
    formerRepoUrls: text('former_repo_urls').array().notNull().default(sql`'{}'`),
    gitRepositoryId: text('git_repository_id'),
    defaultBranch: text('default_branch'),
    visibility: text('visibility').$type<CodeSource['visibility']>().notNull(),
    accessLost: boolean('access_lost').notNull().default(false),
    auth: jsonb('auth').$type<CodeSource['auth']>().notNull(),
    /** SHA-256, in hexadecimal, of the secret in GitLab's webhooks. Without one, webhooks are rejected. */
    webhookSecretHash: text('webhook_secret_hash'),
  },
  (table) => [
    uniqueIndex('code_sources_organization_repo_url').on(table.organizationId, table.repoUrl),
    // For finding the repository of a webhook.
    index('code_sources_git_repository').on(table.gitRepositoryId),
  ],
)

export type CodeSourceRow = typeof codeSources.$inferSelect
