import { valueBounds } from '@sluice/contract/bounded-json'
import { jsonPathSuffix } from '@sluice/contract/json-path'
import { toStorableValue } from '@sluice/contract/storable-value'
import { nearest, unknown } from '@sluice/expressions'
import type { Validator } from 'typebox/compile'
import { Settings } from 'typebox/system'
import { isSynonym } from './synonyms.ts'
import { type Finding, settleUnions } from './unions.ts'

// TypeBox stops at 8 errors by default. The API reports every error; this maximum prevents responses of megabytes to a
// hostile body.
const mostFaults = 1000
Settings.Set({ maxErrors: mostFaults })

/** Maximum length of an error line in characters. Lines quote names of any length that the caller chose. */
const longestLine = 500

/**
 * Maximum number of values that are searched for errors, at a cost of microseconds each. Real bodies have far fewer.
 */
const mostSearched = 20_000

/** Deeper values are rejected, because they would overflow the stack of recursive functions. */
const { maxDepth } = valueBounds

/** Returns every error of a value at the path `place`: a line each, with its JSON path and the expected value. */
export function faultsOf(validator: Validator, value: unknown, place = '$'): string[] {
  if (validator.Check(value)) return []
  const searched = countOf(value, mostSearched) > mostSearched ? firstItems(value) : value
  if (countOf(searched, mostSearched) > mostSearched) {
    return [`${place}: invalid, and with more than ${mostSearched} values too large to list the errors`]
  }
  const schema: unknown = validator.Type()
  // Errors of `if` are redundant: its `then` and `else` schemas report their own.
  const errors = validator.Errors(searched).filter(({ keyword }) => keyword !== 'if')
  return settleUnions(errors).flatMap((finding) => linesOf(finding, searched, schema, place).map(shortened))
}

/** Truncates an error line to its maximum length. */
export const shortened = (line: string): string => (line.length > longestLine ? `${line.slice(0, longestLine)}…` : line)

/** Counts the values nested in a value, itself included. Stops with `most + 1` if there are more than `most`. */
function countOf(value: unknown, most: number): number {
  const open = [value]
  let count = 0
  for (let next = open.pop(); next !== undefined && count <= most; next = open.pop()) {
    count += 1
    if (typeof next !== 'object' || next === null) continue
    const items = Object.values(next)
    if (count + open.length + items.length > most) return most + 1
    for (const item of items) open.push(item)
  }
  return count
}

/** Shortens each list to one item more than the maximum number of errors, so that it still exceeds the maximum. */
function firstItems(value: unknown, depth = 0): unknown {
  if (typeof value !== 'object' || value === null || depth === maxDepth) return value
  if (Array.isArray(value)) return value.slice(0, mostFaults + 1).map((item) => firstItems(item, depth + 1))
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, firstItems(item, depth + 1)]))
}

function linesOf(error: Finding, root: unknown, schema: unknown, place: string): string[] {
  const path = jsonPath(error.instancePath, place)
  switch (error.keyword) {
    case 'additionalProperties':
      return [] // the keyword `boolean` reports each of these properties
    case 'boolean':
      return [`${path}: ${noSuchProperty(root, schema, error)}`]
    case 'choice':
      return [
        `${path}: expected one of ${error.params.properties.join(', ')}${error.params.properties.map((name) => otherSpelling(root, error, name)).join('')}`,
      ]
    case 'required':
      return error.params.requiredProperties.map(
        (name) => `${path}${jsonPathSuffix(name)}: required, but missing${otherSpelling(root, error, name)}`,
      )
    case 'type':
      return [
        `${path}: expected ${[error.params.type].flat().join(' or ')}, got ${kindOf(valueAt(root, error.instancePath))}`,
      ]
    case 'enum':
      return [`${path}: expected one of ${error.params.allowedValues.join(', ')}`]
    case 'pattern':
      return [`${path}: expected ${textLike(schema, error)}`]
    case 'minLength':
      return [`${path}: expected at least ${error.params.limit} characters`]
    case 'maxLength':
      return [`${path}: expected at most ${error.params.limit} characters`]
    case 'maxItems':
      return [`${path}: expected at most ${error.params.limit} items`]
    case 'minimum':
    case 'maximum':
      return [`${path}: expected a number ${error.params.comparison} ${error.params.limit}`]
    default:
      return [`${path}: ${error.message}`]
  }
}

/** Describes the expected text by title and example, which are easier to understand than a regular expression. */
function textLike(schema: unknown, { schemaPath }: Finding): string {
  const { title, pattern, examples: [example] = [] } = schemaAt(schema, schemaPath.slice(1))
  return `${title ?? `text that matches ${pattern}`}${typeof example === 'string' ? `, such as ${example}` : ''}`
}

/** Suggests a present property that is the missing one in another case, such as camel case in copied cloud settings. */
function otherSpelling(root: unknown, { instancePath }: Finding, name: string): string {
  const names = Object.keys(Object(valueAt(root, instancePath)))
  const found = names.find((one) => one !== name && spelled(one) === spelled(name))
  return found === undefined ? '' : `; rename ${found} to ${name}`
}

/** Normalizes a name to compare spellings such as `max_size` and `maxSize`. */
export const spelled = (name: string): string => name.replaceAll('_', '').toLowerCase()

/**
 * Describes an unknown property. Suggests the intended one, preferably one that is missing, or lists all known ones.
 */
function noSuchProperty(root: unknown, schema: unknown, { schemaPath, instancePath }: Finding): string {
  const { properties = {}, patternProperties } = schemaAt(
    schema,
    schemaPath.slice(1).replace(/\/additionalProperties$/, ''),
  )
  const names = Object.keys(properties)
  if (patternProperties && names.length === 0) {
    return `expected a name that matches ${Object.keys(patternProperties).join(' or ')}`
  }
  const what = 'unknown property'
  const name = segmentsOf(instancePath).at(-1) ?? ''
  const present = Object(valueAt(root, instancePath.slice(0, instancePath.lastIndexOf('/'))))
  const absent = names.filter((one) => !Object.hasOwn(present, one))
  const meant =
    names.find((one) => spelled(one) === spelled(name)) ??
    absent.find((one) => isSynonym(name, one)) ??
    nearest(name, absent)
  if (meant !== undefined) return `${what}; did you mean ${meant}?`
  return names.length === 0 ? what : unknown(what, name, names)
}

type Part = {
  title?: string
  pattern?: string
  examples?: unknown[]
  properties?: object
  patternProperties?: object
}

/**
 * Returns the part of a schema that a JSON Pointer refers to. Follows each `$ref`, which the pointers of TypeBox omit.
 */
function schemaAt(root: unknown, pointer: string): Part {
  let definitions: unknown
  let schema = root
  for (const step of [...segmentsOf(pointer), undefined]) {
    const { $defs, $ref } = (schema ?? {}) as { $defs?: unknown; $ref?: string }
    definitions = $defs ?? definitions
    if ($ref !== undefined) schema = childOf(definitions, $ref)
    if (step !== undefined) schema = childOf(schema, step)
  }
  return (schema ?? {}) as Part
}

/**
 * Returns the values that JSON can represent but the database cannot store unchanged: a line each, with its JSON path.
 */
export const storageFaultsOf = (value: unknown): string[] =>
  toStorableValue(value).omittedValues.map(({ path, reason }) => shortened(`${path}: ${reason}`))

/** Converts a JSON Pointer to a JSON path that starts with `root`. */
export const jsonPath = (pointer: string, root = '$'): string =>
  `${root}${segmentsOf(pointer).map(jsonPathSuffix).join('')}`

const segmentsOf = (pointer: string): string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'))

/** Returns the JSON path of a property of the value at `path`. */
export const memberPath = (path: string, name: string): string => path + jsonPathSuffix(name)

export const valueAt = (root: unknown, pointer: string): unknown => segmentsOf(pointer).reduce(childOf, root)

const childOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined

/** Returns the JSON type of a value, or `no value` for undefined. */
export function kindOf(value: unknown): string {
  if (value === undefined) return 'no value'
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}
