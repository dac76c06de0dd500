import { valueBounds } from './bounded-json.ts'
import { duplicateNames } from './duplicate-names.ts'
import { parseExactJson } from './exact-json.ts'
import { member } from './json-path.ts'

type Json = Record<string, unknown>

/** A part of a value that is not stored: its JSON path, and what was expected there. */
export type OmittedValue = { path: string; reason: string }

/** A value that the database and every reader of the API can represent, and what was left out of it. */
export type StorableValue<Value = unknown> = { value: Value; omittedValues: OmittedValue[] }

export type StorableOptions = {
  /** The path of the value itself. */
  path?: string
  /** Replaces a value or a name that is left out. Without it, members are absent and items are null. */
  placeholder?: string
  maxDepth?: number
}

/** A hostile value of thousands of faults must not become a list of megabytes. */
const maxOmissions = 1_000
/** A path contains names that a program chose, of any length. Characters. */
const maxPathLength = 500

/**
 * Returns a value without the parts that cannot be stored unchanged. PostgreSQL rejects NUL and lone surrogates, a
 * number beyond the exact range of a double would come back as another one, `__proto__` changes the object that it is
 * assigned to, and deep nesting exhausts the stack of code that walks the value.
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
    const members = Object.entries(one).flatMap(([name, item]) => visitMember(name, item, at + member(name), depth + 1))
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

/** The most that the output of a step may have. */
export const outputBounds = { maxValues: valueBounds.maxValues, maxCharacters: 4 * 1024 * 1024 }

/**
 * Returns an output without what cannot be stored, and without the members for which there is no room: earlier members
 * have precedence.
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
    else omittedValues.push({ path: shortened(path + member(name)), reason })
    return reason === undefined
  })
  return { value: Object.fromEntries(members), omittedValues }
}

/** A value as a program wrote it, which may contain what cannot be stored, and what was not read of it. */
export type ProgramValue = { value: unknown; omittedValues: OmittedValue[] }

/**
 * Reads JSON that a program wrote, without changing a number. Of members with the same name it returns the last.
 * @throws {SyntaxError} for a text that is no JSON
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
      return isStorableText(value) ? undefined : 'expected text without NUL characters and lone surrogates'
    case 'number':
      return isExact(value) ? undefined : `expected a number within ±${Number.MAX_SAFE_INTEGER}; send it as text`
    default:
      return isContainer(value) && depth === maxDepth ? `expected at most ${maxDepth} levels of nesting` : undefined
  }
}

function reasonToOmitName(name: string): string | undefined {
  if (name === '__proto__') return 'expected another name'
  return isStorableText(name) ? undefined : 'expected a name without NUL characters and lone surrogates'
}

function reasonOfRoom(
  left: { values: number; characters: number },
  { maxValues, maxCharacters }: typeof outputBounds,
): string | undefined {
  if (left.values < 0) return `expected at most ${maxValues} values in all`
  return left.characters < 0 ? `expected at most ${maxCharacters} characters in all` : undefined
}

/** Whether all of a value can be stored. To name the place of each part takes twice as long. */
function isStorable(value: unknown, maxDepth: number, depth = 0): boolean {
  if (reasonToOmit(value, depth, maxDepth) !== undefined) return false
  if (!isContainer(value)) return true
  if (Array.isArray(value)) return value.every((item) => isStorable(item, maxDepth, depth + 1))
  return Object.keys(value).every(
    (name) => reasonToOmitName(name) === undefined && isStorable(Reflect.get(value, name), maxDepth, depth + 1),
  )
}

const charactersOf = (value: unknown): number => (value === undefined ? 0 : JSON.stringify(value).length)

/** Returns how many values a storable value has, itself included. */
const countValues = (value: unknown): number =>
  isContainer(value) ? Object.values(value).reduce<number>((sum, item) => sum + countValues(item), 1) : 1

const isContainer = (value: unknown): value is object => typeof value === 'object' && value !== null

const isStorableText = (text: string): boolean => !text.includes('\0') && text.isWellFormed()

const isExact = (value: number): boolean =>
  Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value))
