import { getTableColumns, sql } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { columnSlots, columnValues, prepared, typedSlots } from '../../platform/db/prepared.ts'
import { newId } from '../../platform/ids.ts'
import { type Author, authorOf, type CallerRequest } from './author.ts'
import { contentHashOf } from './chain.ts'
import { auditEvents } from './tables.ts'
import { contentToWire } from './wire.ts'

/** Project and environment of a record, if any. */
export type RecordScope = { projectId?: string | null | undefined; environmentId?: string | null | undefined }

/** Change to record in the audit log. */
export type Change = {
  /** Action in the form `<resource>.<verb>`, such as `projects.create`. */
  action: string
  resourceType: string
  resourceId: string
  /** Project or environment whose configuration changed. */
  of?: RecordScope
  /** Requested values or results, without secrets. */
  details?: Record<string, unknown>
  /** Previous values of the fields in `details`. */
  before?: Record<string, unknown>
}

const { createdAt: _, updatedAt: __, ...told } = getTableColumns(auditEvents)
const auditedNames = Object.keys(told) as (keyof typeof told)[]

const insert = prepared((db) => db.insert(auditEvents).values(columnSlots(auditedNames)).prepare('insert_audit_event'))

/** Writes an audit event in the transaction of the change. */
export async function recordChange(tx: Db, by: CallerRequest | Author, change: Change): Promise<void> {
  const author = 'caller' in by ? authorOf(by) : by
  await insert(tx).execute(lineOf(author, change))
}

function lineOf(author: Author, { of = {}, ...change }: Change): Record<keyof typeof told, unknown> {
  const { projectId = null, environmentId = null } = of
  const given = { id: newId('aud'), ...author, ...change, projectId, environmentId }
  const { details = null, before = null, ipAddress = null, userAgent = null, requestId = null } = given
  const line = { ...given, details, before, ipAddress, userAgent, requestId }
  const contentHash = contentHashOf(contentToWire(line))
  return columnValues(auditEvents, auditedNames, { ...line, contentHash })
}

const prefix = 'change_'

/** Returns the columns that a statement selects to write the audit event of its own change. */
export const changeSlots = () => ({
  ...typedSlots(auditEvents, prefix),
  createdAt: sql`now()`,
  updatedAt: sql`now()`,
})

/** Returns the values for `changeSlots`. */
export const changeValues = (author: Author, change: Change): Record<string, unknown> =>
  Object.fromEntries(Object.entries(lineOf(author, change)).map(([name, value]) => [`${prefix}${name}`, value]))

/** Returns a record's previous values of the changed fields, for `before`. */
export const previousValues = (record: object, changed: object): Record<string, unknown> =>
  Object.fromEntries(Object.keys(changed).map((field) => [field, Reflect.get(record, field) ?? null]))
