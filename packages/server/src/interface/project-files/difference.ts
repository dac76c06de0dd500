import { isDeepStrictEqual } from 'node:util'
import { memberPath } from '../../platform/http/faults.ts'

/** Difference between two values; an absent side has no value. */
export type Difference = { path: string; before?: unknown; after?: unknown }

/**
 * Returns the differences between two values at their innermost paths. Lists of different lengths are one difference.
 */
export function differencesBetween(before: unknown, after: unknown, path: string): Difference[] {
  if (isDeepStrictEqual(before, after)) return []
  if (Array.isArray(before) && Array.isArray(after) && before.length === after.length) {
    return before.flatMap((item, index) => differencesBetween(item, after[index], `${path}[${index}]`))
  }
  if (!isObject(before) || !isObject(after)) {
    return [{ path, ...(before !== undefined && { before }), ...(after !== undefined && { after }) }]
  }
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  return names.flatMap((name) => differencesBetween(before[name], after[name], memberPath(path, name)))
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
