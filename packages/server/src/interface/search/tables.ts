import { index, pgTable, primaryKey, text } from '../../platform/db/drizzle.ts'

/**
 * The words by which deployments, runs and resources are found, written by triggers (`keep_words_of` in the
 * migrations). A table of its own, since those are without number: the beginning of a word is found by an index that
 * begins with the organization, and by comparisons that row level policies let pass. Words go with their record.
 */
export const searchWords = pgTable(
  'search_words',
  {
    organizationId: text('organization_id').notNull(),
    /** The collection of the record as in its path, such as `pipeline-runs`. */
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
