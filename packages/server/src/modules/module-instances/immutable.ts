import type { InputDefinition } from '../module-versions/config/schema.ts'
import { referredType } from './inputs/declared.ts'
import type { InputFault, Resolution, SeenInput } from './inputs/resolve.ts'

type Json = Record<string, unknown>

/** Current or last applied state of an instance. */
export type Before = {
  /** As the user supplied it. */
  given: Json
  /** Resolved input values. */
  values: Json
  /** Ids of the referenced instances, by input path. */
  references: ReadonlyMap<string, string>
}

/**
 * Returns errors for immutable inputs whose value would change. Ignores inputs hidden before or after, changed outputs
 * of the same referenced instance, and values moved from inputs of earlier versions.
 */
export function immutableFaults(before: Before, after: Resolution, given: Json): InputFault[] {
  const moved = new Set(after.seen.flatMap(({ definition }) => movedTo(definition)))
  return after.seen
    .filter(({ definition, isVisible }) => definition.immutable === true && isVisible && !moved.has(definition.id))
    .filter((seen) => isChanged(before, after, given, seen))
    .map(({ path, value }) => {
      const was = JSON.stringify(valueAt(before.values, path))
      return { path: `input.${path}`, message: `cannot be changed: it is ${was} and would be ${JSON.stringify(value)}` }
    })
}

const movedTo = ({ id, moved_from }: InputDefinition): string[] =>
  moved_from && moved_from.length > 0 ? [id, ...moved_from] : []

function isChanged(before: Before, after: Resolution, given: Json, { path, definition, value }: SeenInput): boolean {
  const was = valueAt(before.values, path) ?? null
  if (was === null || JSON.stringify(was) === JSON.stringify(value)) return false
  if (referredType(definition) !== undefined) {
    const id = after.references.find((reference) => reference.path === path)?.id
    return id === undefined || before.references.get(path) !== id
  }
  const isFilled = !Object.hasOwn(given, definition.id) && !Object.hasOwn(before.given, definition.id)
  return !(isFilled && readsReference(definition))
}

/** Reports whether an input's default reads the instance of a reference. */
const readsReference = ({ default: fallback }: InputDefinition): boolean =>
  /\bref\b/.test(JSON.stringify(fallback ?? ''))

const member = /\.?([A-Za-z_]\w*)|\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]/g

/** Returns the value at a path such as `listeners[0].port` or `rules["a b"].port`. */
function valueAt(values: unknown, path: string): unknown {
  return [...path.matchAll(member)].reduce<unknown>((at, [, name, index, quoted]) => {
    const key = quoted === undefined ? (name ?? index ?? '') : JSON.parse(quoted)
    return typeof at === 'object' && at !== null && Object.hasOwn(at, key) ? (at as Json)[key] : undefined
  }, values)
}
