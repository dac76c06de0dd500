import { valueBounds } from '@sluice/contract/bounded-json'
import { member } from '@sluice/contract/json-path'
import { toStorableValue } from '@sluice/contract/storable-value'
import { nearest, unknown } from '@sluice/expressions'
import type { Validator } from 'typebox/compile'
import { Settings } from 'typebox/system'
import { isSynonym } from './synonyms.ts'
import { type Finding, settleUnions } from './unions.ts'

// TypeBox stops at 8 faults by default. We promise to name every one; the bounds only keep a hostile body of thousands
// from being answered with megabytes.
const mostFaults = 1000
Settings.Set({ maxErrors: mostFaults })

/** A line holds names that the caller chose, of any length. Characters. */
const longestLine = 500

/** To find what is wrong takes microseconds for each value, however much of it is told. Real bodies have few. */
const mostSearched = 20_000

/** Deeper values are rejected: they would exhaust the stack of whoever walks them later. */
const { maxDepth } = valueBounds

/** Everything that is wrong with a value that stands at `place`, each line with its JSON path and what was expected. */
export function faultsOf(validator: Validator, value: unknown, place = '$'): string[] {
  if (validator.Check(value)) return []
  const searched = countOf(value, mostSearched) > mostSearched ? firstItems(value) : value
  if (countOf(searched, mostSearched) > mostSearched) {
    return [`${place}: is not right, and has more than ${mostSearched} values: too many to say which`]
  }
  const schema: unknown = validator.Type()
  // That a condition is not met says nothing: what it asks for then has a line of its own.
  const errors = validator.Errors(searched).filter(({ keyword }) => keyword !== 'if')
  return settleUnions(errors).flatMap((finding) => linesOf(finding, searched, schema, place).map(shortened))
}

/** A line for people, of what may be of any length. */
export const shortened = (line: string): string => (line.length > longestLine ? `${line.slice(0, longestLine)}…` : line)

/** How many values there are in one, itself included, as far as they are no more than `most`. */
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

/** With no more items in each list than it could have faults, so that too many are still too many. */
function firstItems(value: unknown, depth = 0): unknown {
  if (typeof value !== 'object' || value === null || depth === maxDepth) return value
  if (Array.isArray(value)) return value.slice(0, mostFaults + 1).map((item) => firstItems(item, depth + 1))
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, firstItems(item, depth + 1)]))
}

function linesOf(error: Finding, root: unknown, schema: unknown, place: string): string[] {
  const path = jsonPath(error.instancePath, place)
  switch (error.keyword) {
    case 'additionalProperties':
      return [] // each such property has a line of its own, by the keyword `boolean`
    case 'boolean':
      return [`${path}: ${noSuchProperty(root, schema, error)}`]
    case 'choice':
      return [
        `${path}: expected one of ${error.params.properties.join(', ')}${error.params.properties.map((name) => otherSpelling(root, error, name)).join('')}`,
      ]
    case 'required':
      return error.params.requiredProperties.map(
        (name) => `${path}${member(name)}: expected a value, it is missing${otherSpelling(root, error, name)}`,
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

/** Few read regular expressions as they read what is meant, or a text that matches. */
function textLike(schema: unknown, { schemaPath }: Finding): string {
  const { title, pattern, examples: [example] = [] } = schemaAt(schema, schemaPath.slice(1))
  return `${title ?? `text that matches ${pattern}`}${typeof example === 'string' ? `, such as ${example}` : ''}`
}

/** What is missing may be there in camel case, as the cloud writes it, or with a capital. */
function otherSpelling(root: unknown, { instancePath }: Finding, name: string): string {
  const names = Object.keys(Object(valueAt(root, instancePath)))
  const found = names.find((one) => one !== name && spelled(one) === spelled(name))
  return found === undefined ? '' : `: ${found} is written ${name}`
}

/** A name without what differs where it is written another way. */
export const spelled = (name: string): string => name.replaceAll('_', '').toLowerCase()

/** A property that an object may not have; the one that was meant, rather one that it lacks, or all that there are. */
function noSuchProperty(root: unknown, schema: unknown, { schemaPath, instancePath }: Finding): string {
  const { properties = {}, patternProperties } = schemaAt(
    schema,
    schemaPath.slice(1).replace(/\/additionalProperties$/, ''),
  )
  const names = Object.keys(properties)
  if (patternProperties && names.length === 0) {
    return `expected a name that matches ${Object.keys(patternProperties).join(' or ')}`
  }
  const what = 'expected nothing, there is no such property'
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
 * What a pointer leads to in a schema. The checker writes none of the steps by which a schema that holds itself goes
 * on.
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

/** Returns what JSON can say but a record cannot store unchanged, each line with its JSON path. */
export const storageFaultsOf = (value: unknown): string[] =>
  toStorableValue(value).omittedValues.map(({ path, reason }) => shortened(`${path}: ${reason}`))

/** The JSON path of a JSON Pointer, from `root` on. */
export const jsonPath = (pointer: string, root = '$'): string => `${root}${segmentsOf(pointer).map(member).join('')}`

/** The names in a JSON Pointer (RFC 6901). */
const segmentsOf = (pointer: string): string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'))

/** The path of a member of what is at `path`. */
export const memberPath = (path: string, name: string): string => path + member(name)

/** What a JSON Pointer leads to. */
export const valueAt = (root: unknown, pointer: string): unknown => segmentsOf(pointer).reduce(childOf, root)

const childOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined

/** What kind of JSON a value is. */
export function kindOf(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}
