import type { EvaluationState } from './run.ts'
import { maxDepth } from './tree.ts'

export type Json = Record<string, unknown>

export type Kind = 'nil' | 'boolean' | 'number' | 'text' | 'list' | 'object'

/** Returns the type of a value in the terms of the language. */
export function kindOf(value: unknown): Kind | 'something else' {
  if (value === null || value === undefined) return 'nil'
  if (Array.isArray(value)) return 'list'
  if (typeof value === 'string') return 'text'
  if (typeof value === 'boolean' || typeof value === 'number' || typeof value === 'object') return typeof value as Kind
  return 'something else'
}

export const isObject = (value: unknown): value is Json => kindOf(value) === 'object'

/** Reports whether a value is truthy: all but nil, false, 0 and the empty text. Empty lists and objects are truthy. */
export const isTrue = (value: unknown): boolean =>
  value !== null && value !== undefined && value !== false && value !== 0 && value !== ''

/** Returns an own member, so that inherited ones (`constructor`, `__proto__`) cannot be reached. */
export const memberOf = (object: Json, name: string): unknown =>
  Object.hasOwn(object, name) ? (object[name] ?? null) : null

/** Compares values deeply and by type. */
export function areEqual(run: EvaluationState, a: unknown, b: unknown, depth = 0): boolean {
  run.step()
  if (depth > maxDepth) run.fail(`these values are nested deeper than ${maxDepth} levels`)
  const kind = kindOf(a)
  if (kind !== kindOf(b)) return false
  if (kind === 'nil') return true
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item, index) => areEqual(run, item, b[index], depth + 1))
  }
  if (isObject(a) && isObject(b)) {
    const keys = Object.keys(a)
    if (keys.length !== Object.keys(b).length) return false
    return keys.every((key) => Object.hasOwn(b, key) && areEqual(run, a[key], b[key], depth + 1))
  }
  if (typeof a === 'string' && typeof b === 'string' && a.length === b.length) run.read(a.length)
  return a === b
}

/** Returns a value as part of a text: nil is empty, lists and objects are compact JSON. */
export function textOf(run: EvaluationState, value: unknown): string {
  switch (kindOf(value)) {
    case 'nil':
      return ''
    case 'list':
    case 'object':
      run.write(value)
      return JSON.stringify(value)
    case 'something else':
      return run.fail(`a ${typeof value} is not a value of the language`)
    default:
      return String(value)
  }
}
