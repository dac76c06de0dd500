import { pgTable, text } from '../db/drizzle.ts'

/** Which key seals what this database holds: one row, from its first start. */
export const encryptionKeys = pgTable('encryption_keys', {
  id: text('id').primaryKey(),
  fingerprint: text('fingerprint').notNull(),
})
