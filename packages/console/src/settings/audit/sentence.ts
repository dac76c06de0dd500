import type { AuditEvent } from '@sluice/contract'
import { differencesOf } from '../../ui/differences.ts'
import { wordsOf } from './action-phrases.ts'
import { fieldName, type Names, valueText } from './values.ts'

/** Field of an audit event with its values before and after the change. */
export type FieldChange = { field: string; before: unknown; after: unknown; hasBefore: boolean }

/** Returns the fields of an event that differ, or all of them if the event has no earlier values. */
export function fieldChanges({ before, details = {} }: Pick<AuditEvent, 'before' | 'details'>): FieldChange[] {
  const fields = [...new Set([...Object.keys(before ?? {}), ...Object.keys(details)])]
  return fields
    .map((field) => ({ field, before: before?.[field], after: details[field], hasBefore: before !== undefined }))
    .filter((change) => !change.hasBefore || differencesOf(change.before, change.after).length > 0)
}

export type Sentence = {
  /** Words between the actor and the record, such as “changed the policy”. */
  action: string
  /** Name of the record, or of the scope of a record without a name. */
  record?: string | undefined
  /** Whether `record` is the scope. */
  isScope?: boolean
  /** Words after the record, such as “from 1 to 2”. */
  end?: string
}

/** Describes an event as a sentence without its actor. */
export function sentenceOf(event: AuditEvent, names: Names): Sentence {
  const { verb, noun } = wordsOf(event.action)
  if (noun === undefined) return { action: verb }
  const own = recordName(event, names)
  const scope = names.get(event.environmentId ?? '') ?? names.get(event.projectId ?? '')
  const named = { record: own ?? scope, isScope: own === undefined && scope !== undefined }
  const [change, ...others] = event.before && event.action.endsWith('.update') ? fieldChanges(event) : []
  const single = change && others.length === 0 ? singleChange(change, names) : undefined
  if (single) return { action: `${single.verb} of the ${noun}`, ...named, end: single.end }
  return { action: `${verb} ${own === undefined ? withArticle(noun) : `the ${noun}`}`, ...named }
}

const withArticle = (noun: string): string => `${/^[aeiou]/i.test(noun) ? 'an' : 'a'} ${noun}`

/** Describes the change of one field; undefined if its values don't fit into a sentence. */
function singleChange({ field, before, after }: FieldChange, names: Names): { verb: string; end: string } | undefined {
  const [from, to] = [valueText(before, names), valueText(after, names)]
  if (from === undefined || to === undefined || from.length + to.length > maxLength) return undefined
  return { verb: `${verbOf(before, after)} “${fieldName(field)}”`, end: `from ${from} to ${to}` }
}

/** Characters of two values that still fit into a sentence. */
const maxLength = 80

function verbOf(before: unknown, after: unknown): string {
  if (typeof before !== 'number' || typeof after !== 'number') return 'changed'
  return after > before ? 'raised' : 'lowered'
}

const recordName = ({ resourceId, details, before }: AuditEvent, names: Names): string | undefined =>
  names.get(resourceId) ?? textIn(details) ?? textIn(before)

const textIn = (values: AuditEvent['details']): string | undefined => {
  const name = values?.name ?? values?.email ?? values?.domain ?? values?.repoUrl
  return typeof name === 'string' && name !== '' ? name : undefined
}
