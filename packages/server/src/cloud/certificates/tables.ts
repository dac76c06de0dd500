import type { CertificateOrigin, CertificateRecord, CertificateStatus, UserFacingError } from '@sluice/contract'
import { organizations } from '../../identity/organizations/tables.ts'
import { recordColumns, timestampColumn } from '../../platform/db/columns.ts'
import { boolean, index, integer, jsonb, pgTable, sql, text, uniqueIndex } from '../../platform/db/drizzle.ts'
import { renamedField, renamedJson, spellings } from '../../platform/db/renamed.ts'
import { cloudAccounts } from '../cloud-accounts/tables.ts'

const recordStatus = spellings<CertificateRecord['status']>({
  CREATED: 'WRITTEN',
  MANUAL: 'BY_HAND',
  PENDING: 'WAITING',
})
const status = renamedField<CertificateRecord>('status', 'standing')
const isValidated = renamedField<CertificateRecord>('isValidated', 'isProven')

/** Converts records to and from the field names and values used before version 0.3. */
const formerRecords = {
  toStored: (records: CertificateRecord[]) =>
    records.map((record) => {
      const stored = { ...record, status: recordStatus.toStored(record.status) } as CertificateRecord
      return isValidated.toStored(status.toStored(stored) as CertificateRecord)
    }),
  toCurrent: (stored: object[]) =>
    stored.map((one) => {
      const record = isValidated.toCurrent(status.toCurrent(one))
      return { ...record, status: recordStatus.toCurrent(record.status) }
    }),
}

/** Certificates in cloud accounts, requested by Sluice or imported. */
export const certificates = pgTable(
  'certificates',
  {
    ...recordColumns,
    organizationId: text('organization_id')
      .notNull()
      .references(() => organizations.id, { onDelete: 'cascade' }),
    cloudAccountId: text('cloud_account_id')
      .notNull()
      .references(() => cloudAccounts.id, { onDelete: 'cascade' }),
    region: text('region').notNull(),
    arn: text('arn'),
    names: text('names').array().notNull(),
    origin: text('origin').$type<CertificateOrigin>().notNull(),
    status: text('status').$type<CertificateStatus>().notNull(),
    expiresSoon: boolean('expires_soon').notNull().default(false),
    issuedAt: timestampColumn('issued_at'),
    expiresAt: timestampColumn('expires_at'),
    inUseBy: text('in_use_by').array().notNull().default([]),
    writesRecords: boolean('writes_records').notNull(),
    records: renamedJson('records', formerRecords).notNull().default([]),
    error: jsonb('error').$type<UserFacingError>(),
    /** Problem found by the last poll, as a sentence. */
    problem: text('problem'),
    checkedAt: timestampColumn('looked_at'),
    /** Set before the first request to the cloud. Later attempts first search for its result. */
    requestedAt: timestampColumn('requested_at'),
    /** Number of consecutive polls without a change, which lengthens the interval. */
    idleLooks: integer('idle_looks').notNull().default(0),
    revision: integer('revision').notNull().default(0),
    /** Time of the next poll; null once the certificate is final. */
    wakeAt: timestampColumn('wake_at'),
    wakeSeq: integer('wake_seq').notNull().default(0),
  },
  (table) => [
    uniqueIndex('certificates_arn').on(table.organizationId, table.arn),
    index('certificates_names').using('gin', table.names),
    index('certificates_account').on(table.cloudAccountId),
    index('certificates_wake').on(table.wakeAt).where(sql`wake_at is not null`),
  ],
)

export type CertificateRow = typeof certificates.$inferSelect
