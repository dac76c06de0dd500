import { organizations } from '../../identity/organizations/tables.ts'
import type { SealedColumn } from '../../platform/crypto/place.ts'
import { recordColumns } from '../../platform/db/columns.ts'
import { index, integer, pgTable, text, uniqueIndex } from '../../platform/db/drizzle.ts'

/** The first answer to a request that may be repeated under its key. Kept for a day. */
export const idempotentAnswers = pgTable(
  'idempotent_answers',
  {
    ...recordColumns,
    organizationId: text('organization_id')
      .notNull()
      .references(() => organizations.id, { onDelete: 'cascade' }),
    /** Of the membership or the service account that asked. */
    actorId: text('actor_id').notNull(),
    operationId: text('operation_id').notNull(),
    key: text('key').notNull(),
    /** HMAC-SHA-256 (hexadecimal) of the request. */
    requestHash: text('request_hash').notNull(),
    /** Absent while the first request is under way. */
    status: integer('status'),
    /** Sealed. */
    body: text('body'),
  },
  (table) => [
    uniqueIndex('idempotent_answers_once').on(table.organizationId, table.actorId, table.operationId, table.key),
    index('idempotent_answers_created').on(table.createdAt),
  ],
)

export const sealedAnswers = {
  column: idempotentAnswers.body,
  row: [idempotentAnswers.id],
  purpose: 'answers',
} as const satisfies SealedColumn
