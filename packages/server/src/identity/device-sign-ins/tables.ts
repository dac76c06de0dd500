import { recordColumns, timestampColumn } from '../../platform/db/columns.ts'
import { index, pgTable, text } from '../../platform/db/drizzle.ts'
import { memberships } from '../organizations/tables.ts'

/** Device sign-ins that wait for approval. The codes are stored as SHA-256 in hexadecimal. */
export const deviceSignIns = pgTable(
  'device_sign_ins',
  {
    ...recordColumns,
    deviceCodeHash: text('device_code_hash').notNull().unique(),
    userCodeHash: text('user_code_hash').notNull().unique(),
    /** Name that the device gave. */
    clientName: text('client_name').notNull(),
    /** IP address of the device. */
    ipAddress: text('ip_address').notNull(),
    expiresAt: timestampColumn('expires_at').notNull(),
    /** Time of the device's last poll. */
    askedAt: timestampColumn('asked_at'),
    decision: text('decision').$type<'APPROVED' | 'REJECTED'>(),
    /** Membership that approved, as which the device signs in. */
    membershipId: text('membership_id').references(() => memberships.id, { onDelete: 'cascade' }),
  },
  (table) => [
    index('device_sign_ins_membership').on(table.membershipId),
    index('device_sign_ins_expires').on(table.expiresAt),
  ],
)

export type DeviceSignInRow = typeof deviceSignIns.$inferSelect
