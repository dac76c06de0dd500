import { memberPath } from '../../../platform/http/faults.ts'
import type { PipelineInput } from './schema.ts'

type Json = Record<string, unknown>

const nouns = {
  string: 'a text',
  number: 'a number',
  boolean: 'true or false',
  string_array: 'a list of texts',
  array: 'a list',
  object: 'an object',
  json: 'a value',
} as const satisfies Record<PipelineInput['type'], string>

/**
 * Returns the inputs of a run, with defaults for absent ones, or every error with its path below `place`. An explicit
 * null means "left blank" and has no default.
 */
export function resolveInputs(
  declared: readonly PipelineInput[],
  given: Json,
  place: string,
): { values: Json } | { faults: string[] } {
  const ids = new Set(declared.map(({ id }) => id))
  const known = [...ids].join(', ') || 'none'
  const unknown = Object.keys(given)
    .filter((id) => !ids.has(id))
    .map((id) => `${memberPath(place, id)}: unknown input; the pipeline takes ${known}`)
  const values = Object.fromEntries(
    declared.flatMap(({ id, default: preset }) => {
      if (Object.hasOwn(given, id)) return [[id, given[id]]]
      return preset === undefined ? [] : [[id, preset]]
    }),
  )
  const wrong = declared.flatMap((input) => {
    const path = memberPath(place, input.id)
    if (isBlank(values[input.id])) return input.required ? [`${path}: required, but missing`] : []
    return valueErrors(input, values[input.id], path)
  })
  const faults = [...unknown, ...wrong]
  return faults.length > 0 ? { faults } : { values }
}

/** Reports whether a required value counts as missing. */
const isBlank = (value: unknown): boolean =>
  value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0)

/** Returns the errors in the value of an input; null is valid. */
export function valueErrors({ type, values }: Pick<PipelineInput, 'type' | 'values'>, value: unknown, path: string) {
  if (value === null) return []
  if (!isOfType(type, value)) return [`${path}: expected ${nouns[type]}, got ${kindOf(value)}`]
  if (!values) return []
  const allowed = new Set(values.map((one) => JSON.stringify(one)))
  const isList = type === 'string_array' || type === 'array'
  const places = isList && Array.isArray(value) ? value.map((item, index) => ({ item, at: `${path}[${index}]` })) : []
  return (isList ? places : [{ item: value, at: path }])
    .filter(({ item }) => !allowed.has(JSON.stringify(item)))
    .map(({ at }) => `${at}: expected one of ${[...allowed].join(', ')}`)
}

function isOfType(type: PipelineInput['type'], value: unknown): boolean {
  switch (type) {
    case 'string':
    case 'number':
    case 'boolean':
      return typeof value === type
    case 'string_array':
      return Array.isArray(value) && value.every((item) => typeof item === 'string')
    case 'array':
      return Array.isArray(value)
    case 'object':
      return typeof value === 'object' && value !== null && !Array.isArray(value)
    case 'json':
      return true
  }
}

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return 'a list'
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}
