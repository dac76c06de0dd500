import { valueBounds } from './bounded-json.ts'
import { duplicateNames } from './duplicate-names.ts'
import { parseExactJson } from './exact-json.ts'
import { jsonPathSuffix } from './json-path.ts'

type Json = Record<string, unknown>

/** Part of a value that is not stored: its JSON path and the requirement that it violates. */
export type OmittedValue = { path: string; reason: string }

/** Value that the database and every client of the API can represent, and the parts that were omitted. */
export type StorableValue<Value = unknown> = { value: Value; omittedValues: OmittedValue[] }

export type StorableOptions = {
  /** Path of the value itself. */
  path?: string
  /** Replacement for omitted values and names. Without it, members are removed and items become null. */
  placeholder?: string
  maxDepth?: number
}

/** Maximum number of reported omissions, so that a hostile value cannot produce a report of megabytes. */
const maxOmissions = 1_000
/** Maximum length of a path in characters. Paths contain names that programs choose. */
const maxPathLength = 500

/**
 * Returns a value without the parts that cannot be stored unchanged. PostgreSQL rejects NUL and lone surrogates. A
 * double cannot hold every number. `__proto__` changes the object that it is assigned to. Deep nesting overflows the
 * stack of recursive code.
 */
export function toStorableValue(value: unknown, options: StorableOptions = {}): StorableValue {
  const { path = '$', placeholder, maxDepth = valueBounds.maxDepth } = options
  if (isStorable(value, maxDepth)) return { value, omittedValues: [] }
  const omittedValues: OmittedValue[] = []

  function omit(at: string, reason: string): string | undefined {
    if (omittedValues.length < maxOmissions) omittedValues.push({ path: shortened(at), reason })
    return placeholder
  }

  function visit(one: unknown, at: string, depth: number): unknown {
    const reason = reasonToOmit(one, depth, maxDepth)
    if (reason !== undefined) return omit(at, reason)
    if (typeof one !== 'object' || one === null) return one
    if (Array.isArray(one)) return one.map((item, index) => visit(item, `${at}[${index}]`, depth + 1) ?? null)
    const members = Object.entries(one).flatMap(([name, item]) =>
      visitMember(name, item, at + jsonPathSuffix(name), depth + 1),
    )
    return Object.fromEntries(members)
  }

  function visitMember(name: string, item: unknown, at: string, depth: number): [string, unknown][] {
    const reason = reasonToOmitName(name)
    const storedName = reason === undefined ? name : omit(at, reason)
    const stored = visit(item, at, depth)
    return storedName === undefined || stored === undefined ? [] : [[storedName, stored]]
  }

  return { value: visit(value, path, 0), omittedValues }
}

/** Bounds for the output of a step. */
export const outputBounds = { maxValues: valueBounds.maxValues, maxCharacters: 4 * 1024 * 1024 }

/**
 * Returns an output without its unstorable parts and without members that exceed the total size. Earlier members take
 * precedence.
 */
export function toStorableOutput(
  output: Json,
  path: string,
  { maxValues, maxCharacters } = outputBounds,
): StorableValue<Json> {
  const { value, omittedValues } = toStorableValue(output, { path })
  let left = { values: maxValues, characters: maxCharacters }
  const members = Object.entries(value as Json).filter(([name, item]) => {
    const next = { values: left.values - countValues(item), characters: left.characters - charactersOf(item) }
    const reason = reasonOfRoom(next, { maxValues, maxCharacters })
    if (reason === undefined) left = next
    else omittedValues.push({ path: shortened(path + jsonPathSuffix(name)), reason })
    return reason === undefined
  })
  return { value: Object.fromEntries(members), omittedValues }
}

/** Value that a program wrote, which can contain unstorable parts, and the parts that were not read. */
export type ProgramValue = { value: unknown; omittedValues: OmittedValue[] }

/**
 * Parses JSON that a program wrote without changing a number. Of duplicate members, it returns the last.
 * @throws {SyntaxError} if the text is not JSON
 */
export function readProgramJson(text: string, path: string): ProgramValue {
  const value = parseExactJson(text)
  const duplicates = duplicateNames(text, path)
  const reason = 'expected once; the last value is stored'
  return { value, omittedValues: duplicates.map((at) => ({ path: shortened(at), reason })) }
}

const shortened = (path: string): string => (path.length > maxPathLength ? `${path.slice(0, maxPathLength)}…` : path)

function reasonToOmit(value: unknown, depth: number, maxDepth: number): string | undefined {
  switch (typeof value) {
    case 'string':
      return isStorableText(value) ? undefined : 'expected text without NUL characters or lone surrogates'
    case 'number':
      return isExact(value) ? undefined : `expected a number within ±${Number.MAX_SAFE_INTEGER}; send it as text`
    default:
      return isContainer(value) && depth === maxDepth ? `expected at most ${maxDepth} levels of nesting` : undefined
  }
}

function reasonToOmitName(name: string): string | undefined {
  if (name === '__proto__') return 'expected a name other than __proto__'
  return isStorableText(name) ? undefined : 'expected a name without NUL characters or lone surrogates'
}

function reasonOfRoom(
  left: { values: number; characters: number },
  { maxValues, maxCharacters }: typeof outputBounds,
): string | undefined {
  if (left.values < 0) return `expected at most ${maxValues} values in total`
  return left.characters < 0 ? `expected at most ${maxCharacters} characters in total` : undefined
}

/** Returns whether a whole value is storable. It is twice as fast as collecting the paths of all parts. */
function isStorable(value: unknown, maxDepth: number, depth = 0): boolean {
  if (reasonToOmit(value, depth, maxDepth) !== undefined) return false
  if (!isContainer(value)) return true
  if (Array.isArray(value)) return value.every((item) => isStorable(item, maxDepth, depth + 1))
  return Object.keys(value).every(
    (name) => reasonToOmitName(name) === undefined && isStorable(Reflect.get(value, name), maxDepth, depth + 1),
  )
}

const charactersOf = (value: unknown): number => (value === undefined ? 0 : JSON.stringify(value).length)

/** Returns the number of values in a storable value, including itself. */
const countValues = (value: unknown): number =>
  isContainer(value) ? Object.values(value).reduce<number>((sum, item) => sum + countValues(item), 1) : 1

const isContainer = (value: unknown): value is object => typeof value === 'object' && value !== null

const isStorableText = (text: string): boolean => !text.includes('\0') && text.isWellFormed()

const isExact = (value: number): boolean =>
  Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value))
