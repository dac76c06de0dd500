import { moment, recordColumns } from '../../platform/db/columns.ts'
import { index, pgTable, text } from '../../platform/db/drizzle.ts'
import { memberships } from '../organizations/tables.ts'

/** A program that asks to be signed in. Of its codes only the SHA-256 (hexadecimal) is kept, while they count. */
export const deviceSignIns = pgTable(
  'device_sign_ins',
  {
    ...recordColumns,
    deviceCodeHash: text('device_code_hash').notNull().unique(),
    userCodeHash: text('user_code_hash').notNull().unique(),
    /** What asks, in its own words. */
    clientName: text('client_name').notNull(),
    /** Where it asks from. */
    ipAddress: text('ip_address').notNull(),
    expiresAt: moment('expires_at').notNull(),
    /** When it asked for the token last. */
    askedAt: moment('asked_at'),
    decision: text('decision').$type<'APPROVED' | 'REJECTED'>(),
    /** Who said yes: that is who it is signed in as. */
    membershipId: text('membership_id').references(() => memberships.id, { onDelete: 'cascade' }),
  },
  (table) => [
    index('device_sign_ins_membership').on(table.membershipId),
    index('device_sign_ins_expires').on(table.expiresAt),
  ],
)

export type DeviceSignInRow = typeof deviceSignIns.$inferSelect
