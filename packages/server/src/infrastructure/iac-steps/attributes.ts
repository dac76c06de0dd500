import { longestText } from '../../gates/policy-subjects.ts'
import { notStored, sensitive, unknown } from '../adapter/sensitive.ts'

/** Value of a resource as text, under its path. */
export type Attribute = { path: string; value?: string }

/**
 * Flattens a resource's values to text by path, such as `tags.team` or `members.0`. Sensitive, unknown, omitted and
 * very long values have a path but no text, so expressions that need them fail.
 */
export function attributesOf(value: unknown, path: readonly string[] = []): Attribute[] {
  if (value === null || value === undefined) return []
  if (typeof value === 'object')
    return Object.entries(value).flatMap(([key, item]) => attributesOf(item, [...path, key]))
  const text = String(value)
  const isHidden = text.includes(sensitive) || [unknown, notStored].includes(text) || text.length > longestText
  return [{ path: path.join('.'), ...(!isHidden && { value: text }) }]
}
