import { getTableColumns, sql } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { columnSlots, columnValues, prepared, typedSlots } from '../../platform/db/prepared.ts'
import { newId } from '../../platform/ids.ts'
import { type Asking, type Author, authorOf } from './author.ts'
import { contentHashOf } from './chain.ts'
import { auditEvents } from './tables.ts'
import { contentToWire } from './wire.ts'

/** In which project, and in which environment of it, something is; neither, where it is in none. */
export type Placed = { projectId?: string | null | undefined; environmentId?: string | null | undefined }

/** A change that is worth knowing about later. */
export type Change = {
  /** `<resource>.<verb>`, such as `projects.create`. */
  action: string
  resourceType: string
  resourceId: string
  /** What says where that is: of a change of the configuration of a project, or of an environment of it. */
  of?: Placed
  /** What was asked, or came of it, without secrets. */
  details?: Record<string, unknown>
  /** What stood before in the place of what `details` says, where something did. */
  before?: Record<string, unknown>
}

const { createdAt: _, updatedAt: __, ...told } = getTableColumns(auditEvents)
const toldNames = Object.keys(told) as (keyof typeof told)[]

const insert = prepared((db) => db.insert(auditEvents).values(columnSlots(toldNames)).prepare('insert_audit_event'))

/** Writes down who changed what, in the transaction of the change: neither is there without the other. */
export async function recordChange(tx: Db, by: Asking | Author, change: Change): Promise<void> {
  const author = 'caller' in by ? authorOf(by) : by
  await insert(tx).execute(lineOf(author, change))
}

function lineOf(author: Author, { of = {}, ...change }: Change): Record<keyof typeof told, unknown> {
  const { projectId = null, environmentId = null } = of
  const given = { id: newId('aud'), ...author, ...change, projectId, environmentId }
  const { details = null, before = null, ipAddress = null, userAgent = null, requestId = null } = given
  const line = { ...given, details, before, ipAddress, userAgent, requestId }
  const contentHash = contentHashOf(contentToWire(line))
  return columnValues(auditEvents, toldNames, { ...line, contentHash })
}

const prefix = 'change_'

/** For a statement that makes a change and writes it down itself: what it selects for the line in the log. */
export const changeSlots = () => ({
  ...typedSlots(auditEvents, prefix),
  createdAt: sql`now()`,
  updatedAt: sql`now()`,
})

/** And what it is given for that. */
export const changeValues = (author: Author, change: Change): Record<string, unknown> =>
  Object.fromEntries(Object.entries(lineOf(author, change)).map(([name, value]) => [`${prefix}${name}`, value]))

/** What a record held in the fields that a change names, for `before`. */
export const heldBefore = (record: object, changed: object): Record<string, unknown> =>
  Object.fromEntries(Object.keys(changed).map((field) => [field, Reflect.get(record, field) ?? null]))
