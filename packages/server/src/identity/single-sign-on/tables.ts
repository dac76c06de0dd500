import { timestampColumn } from '../../platform/db/columns.ts'
import { pgTable, text } from '../../platform/db/drizzle.ts'

/** Ids of used sign-in attempts and logout tokens, retained until they would expire anyway. */
export const spentTokens = pgTable('spent_tokens', {
  id: text('id').primaryKey(),
  expiresAt: timestampColumn('expires_at').notNull(),
})
