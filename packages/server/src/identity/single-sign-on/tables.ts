import { moment } from '../../platform/db/columns.ts'
import { pgTable, text } from '../../platform/db/drizzle.ts'

/** What counts once (sign-ins that were begun, words that somebody signed out), until it would not count anyway. */
export const spentTokens = pgTable('spent_tokens', {
  id: text('id').primaryKey(),
  expiresAt: moment('expires_at').notNull(),
})
