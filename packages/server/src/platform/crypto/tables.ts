import { pgTable, text } from '../db/drizzle.ts'

/** Keys that encrypted values in this database, with one row for each. */
export const encryptionKeys = pgTable('encryption_keys', {
  id: text('id').primaryKey(),
  fingerprint: text('fingerprint').notNull(),
})
