import { index, pgTable, primaryKey, text } from '../../platform/db/drizzle.ts'

/**
 * Search words of deployments, runs and resources, written by triggers (`keep_words_of` in the migrations). A separate
 * table, because an index on organization and word supports prefix searches under row level security. Deleted with
 * their record.
 */
export const searchWords = pgTable(
  'search_words',
  {
    organizationId: text('organization_id').notNull(),
    /** Collection of the record as in its path, such as `pipeline-runs`. */
    resource: text('resource').notNull(),
    word: text('word').notNull(),
    recordId: text('record_id').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.recordId, table.word] }),
    index('search_words_found').on(
      table.organizationId,
      table.resource,
      table.word.op('text_pattern_ops'),
      table.recordId,
    ),
  ],
)
