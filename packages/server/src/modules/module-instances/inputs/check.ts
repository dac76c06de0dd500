import { shortened } from '../../../platform/http/faults.ts'
import type { InputDefinition, InputOption } from '../../module-versions/config/schema.ts'
import { referredType } from './declared.ts'
import type { PatternCheck } from './patterns/settle.ts'

/** Error in a value, as the rest of a sentence that starts with its path. `below` extends the path. */
export type ValueFault = { below: string; message: string }

const isText = (value: unknown): value is string => typeof value === 'string'
const isList = (value: unknown): value is unknown[] => Array.isArray(value)
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const isTextList = (value: unknown): value is string[] => isList(value) && value.every(isText)
const isField = (value: unknown): boolean =>
  isText(value) || isNumber(value) || typeof value === 'boolean' || isTextList(value)
const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value)

/** Reports whether a value counts as missing where one is required. */
export const isMissing = (value: unknown): boolean =>
  value === null ||
  value === '' ||
  (isList(value) && value.length === 0) ||
  (isObject(value) && Object.keys(value).length === 0)

const hasExactly = (value: Record<string, unknown>, fields: readonly string[]): boolean =>
  Object.keys(value).length === fields.length &&
  fields.every((field) => Object.hasOwn(value, field) && isField(value[field]))

type Kind = { is: (value: unknown, definition: InputDefinition) => boolean; must: string }

const text: Kind = { is: isText, must: 'must be a string' }
const anything: Kind = { is: () => true, must: '' }

const kinds: Readonly<Record<string, Kind>> = {
  string: text,
  text,
  gitrepo: text,
  number: { is: isNumber, must: 'must be a number' },
  boolean: { is: (value) => typeof value === 'boolean', must: 'must be true or false' },
  string_array: { is: isTextList, must: 'must be a list of strings' },
  array: { is: isList, must: 'must be a list' },
  object: { is: isObject, must: 'must be an object' },
  keyvalue: {
    is: (value) => isObject(value) && Object.values(value).every(isText),
    must: 'must be an object whose values are strings',
  },
  object_array: { is: isList, must: 'must be a list of objects' },
  object_map: { is: isObject, must: 'must be an object of objects' },
  compound: {
    is: (value, { fields }) => isObject(value) && hasExactly(value, fields ?? []),
    must: 'must be an object with exactly the fields of the choice',
  },
}

/** Error, or a pattern check that results in an error if the text does not match. */
export type ValueFinding = ValueFault | PatternCheck<ValueFault>

/**
 * Returns all errors of a visible, resolved value, to be passed to `runPatternChecks`. `options` are the visible
 * options, or undefined if any value is allowed. Fields of items are checked in their own scope.
 */
export function valueErrors(
  definition: InputDefinition,
  value: unknown,
  options: readonly InputOption[] | undefined,
): ValueFinding[] {
  if (isMissing(value) && definition.required === true) return [here('is required')]
  if (value === null || value === '') return []
  const { is, must } = kindOf(definition)
  if (!is(value, definition)) {
    return [here(definition.type === 'compound' ? `${must}: ${(definition.fields ?? []).join(', ')}` : must)]
  }
  return [
    ...rangeFaults(definition, value),
    ...(options ? optionFaults(definition, value, options) : []),
    ...patternChecks(definition, value),
  ]
}

const here = (message: string): ValueFault => ({ below: '', message })

const kindOf = (definition: InputDefinition): Kind =>
  referredType(definition) === undefined
    ? (kinds[definition.type] ?? anything)
    : { is: isText, must: 'must be the id or the givenId of a module instance' }

function rangeFaults({ min, max }: InputDefinition, value: unknown): ValueFault[] {
  if (typeof value !== 'number') return []
  if (typeof min === 'number' && value < min) return [here(`must be at least ${min}`)]
  if (typeof max === 'number' && value > max) return [here(`must be at most ${max}`)]
  return []
}

function optionFaults(
  { type, fields }: InputDefinition,
  value: unknown,
  options: readonly InputOption[],
): ValueFault[] {
  const offered = shortened(options.map(({ value: one }) => String(one)).join(', ') || 'nothing')
  const fault = (below: string): ValueFault => ({ below, message: `must be one of ${offered}` })
  if (type === 'compound') {
    const chosen = JSON.stringify(fieldsOf(value, fields ?? []))
    const isOffered = options.some((option) => JSON.stringify(fieldsOf(option, fields ?? [])) === chosen)
    return isOffered ? [] : [fault('')]
  }
  const values = new Set<unknown>(options.map((option) => option.value))
  const isOffered = (one: unknown) => values.has(one)
  if (isList(value)) return value.flatMap((one, index) => (isOffered(one) ? [] : [fault(`[${index}]`)]))
  return isOffered(value) ? [] : [fault('')]
}

/** Returns the fields of a compound option. */
export const fieldsOf = (choice: unknown, fields: readonly string[]): Record<string, unknown> =>
  Object.fromEntries(fields.map((field) => [field, isObject(choice) ? (choice[field] ?? null) : null]))

/** Maximum number of list elements to match against patterns. */
const maxElements = 10_000

/** Returns the pattern checks of a value, or of each element of a list. */
function patternChecks({ patterns = [] }: InputDefinition, value: unknown): ValueFinding[] {
  if (patterns.length === 0) return []
  if (isText(value)) return [{ patterns, text: value, faultOf: here }]
  if (!isTextList(value)) return []
  if (value.length > maxElements) return [here(`must have at most ${maxElements} elements`)]
  return value.map((text, index) => ({ patterns, text, faultOf: (message) => ({ below: `[${index}]`, message }) }))
}
