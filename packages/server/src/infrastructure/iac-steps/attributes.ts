import { longestText } from '../../gates/policy-subjects.ts'
import { notStored, sensitive, unknown } from '../adapter/sensitive.ts'

/** A value of a resource, as a text under its path. */
export type Attribute = { path: string; value?: string }

/**
 * What a resource has, each value as a text under its path, such as `tags.team` or `members.0`. What is sensitive in a
 * part, known only once it is applied, not stored, or very long has a path and no value: an expression that needs it
 * fails.
 */
export function attributesOf(value: unknown, path: readonly string[] = []): Attribute[] {
  if (value === null || value === undefined) return []
  if (typeof value === 'object')
    return Object.entries(value).flatMap(([key, item]) => attributesOf(item, [...path, key]))
  const text = String(value)
  const isHidden = text.includes(sensitive) || [unknown, notStored].includes(text) || text.length > longestText
  return [{ path: path.join('.'), ...(!isHidden && { value: text }) }]
}
