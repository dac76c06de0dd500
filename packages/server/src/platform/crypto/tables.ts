import { pgTable, text } from '../db/drizzle.ts'

/** Which keys have sealed what this database holds: one row each, from the first start with it. */
export const encryptionKeys = pgTable('encryption_keys', {
  id: text('id').primaryKey(),
  fingerprint: text('fingerprint').notNull(),
})
