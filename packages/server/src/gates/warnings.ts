import { type Author, serviceAuthor } from '../identity/audit-events/author.ts'
import { type Change, recordChange } from '../identity/audit-events/record.ts'
import type { Db } from '../platform/db/open.ts'
import type { Warning } from './evaluate.ts'

/** Ids of the records that proceed although a rule in the mode `WARN` would have blocked them. */
type Records = { [record: string]: string | undefined }

/** Records in the audit log what rules in the mode `WARN` would have blocked. */
export async function recordWarnings(
  tx: Db,
  by: Author | string,
  warnings: readonly (Warning & Pick<Change, 'of'>)[],
  records: Records = {},
): Promise<void> {
  const author = typeof by === 'string' ? serviceAuthor(by) : by
  for (const { rules, details, ...warning } of warnings) {
    await recordChange(tx, author, { ...warning, action: `${rules}.warn`, details: { ...details, ...records } })
  }
}
