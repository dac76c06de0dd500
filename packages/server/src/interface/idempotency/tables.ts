import { organizations } from '../../identity/organizations/tables.ts'
import type { SealedColumn } from '../../platform/crypto/place.ts'
import { recordColumns } from '../../platform/db/columns.ts'
import { index, integer, pgTable, text, uniqueIndex } from '../../platform/db/drizzle.ts'

/** First response to a request with an idempotency key. Retained for a day. */
export const idempotentAnswers = pgTable(
  'idempotent_answers',
  {
    ...recordColumns,
    organizationId: text('organization_id')
      .notNull()
      .references(() => organizations.id, { onDelete: 'cascade' }),
    /** Id of the membership or service account of the caller. */
    actorId: text('actor_id').notNull(),
    operationId: text('operation_id').notNull(),
    key: text('key').notNull(),
    /** Hexadecimal HMAC-SHA-256 of the request. */
    requestHash: text('request_hash').notNull(),
    /** Absent while the first request is in progress. */
    status: integer('status'),
    /** Encrypted body. */
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
