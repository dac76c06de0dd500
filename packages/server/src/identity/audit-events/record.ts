import type { Db } from '../../platform/db/open.ts'
import { newId } from '../../platform/ids.ts'
import { type Asking, type Author, authorOf } from './author.ts'
import { auditEvents } from './tables.ts'

/** A change that is worth knowing about later. */
export type Change = {
  /** `<resource>.<verb>`, such as `projects.create`. */
  action: string
  resourceType: string
  resourceId: string
  /** What was asked, or came of it, without secrets. */
  details?: Record<string, unknown>
  /** What stood before in the place of what `details` says, where something did. */
  before?: Record<string, unknown>
}

/** Writes down who changed what, in the transaction of the change: neither is there without the other. */
export async function recordChange(tx: Db, by: Asking | Author, change: Change): Promise<void> {
  const author = 'caller' in by ? authorOf(by) : by
  await tx.insert(auditEvents).values({ id: newId('aud'), ...author, ...change })
}

/** What a record held in the fields that a change names, for `before`. */
export const heldBefore = (record: object, changed: object): Record<string, unknown> =>
  Object.fromEntries(Object.keys(changed).map((field) => [field, Reflect.get(record, field) ?? null]))
