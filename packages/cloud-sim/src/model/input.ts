import { type Member, type Model, matchesPattern, type Shape, shapeOf } from './model.ts'
import {
  bytesOf,
  checkBoolean,
  checkMoment,
  entriesOf,
  expectText,
  fieldsOf,
  itemsOf,
  nameInRequest,
  numberOf,
  type WireFormat,
} from './values.ts'

/** Violation of a constraint by a value of the right type. */
export interface ConstraintViolation {
  /** Path of the value, such as `tags.1.member.key`. */
  path: string
  /** `undefined` if the value is missing. */
  value: unknown
  /** Violated constraint in AWS's words. */
  rule: string
}

/** Returns the constraints that a value violates. Throws a `TypeMismatch` for a wrong type. Ignores unknown members. */
export function constraintViolations(
  model: Model,
  at: Member,
  value: unknown,
  form: WireFormat,
  path = '',
): ConstraintViolation[] {
  const shape = shapeOf(model, at)
  const broken = (rule: string): ConstraintViolation => ({ path, value, rule })
  switch (shape.type) {
    case 'structure':
      return ofMembers(model, shape, fieldsOf(value, form), form, path)
    case 'list': {
      const items = itemsOf(value, form, shape, at)
      const inner = items.flatMap((item, index) =>
        shape.member ? constraintViolations(model, shape.member, item, form, `${path}.${index + 1}.member`) : [],
      )
      return [...ofLength(shape, items.length).map(broken), ...inner]
    }
    case 'map': {
      const entries = entriesOf(value, form)
      const inner = entries.flatMap(([key, item]) => [
        ...(shape.key ? constraintViolations(model, shape.key, key, form, `${path}.key`) : []),
        ...(shape.value ? constraintViolations(model, shape.value, item, form, `${path}.${key}.member`) : []),
      ])
      return [...ofLength(shape, entries.length).map(broken), ...inner]
    }
    case 'string':
      return ofText(shape, expectText(value)).map(broken)
    case 'blob':
      return ofLength(shape, form === 'json' ? bytesOf(value) : expectText(value).length).map(broken)
    case 'integer':
    case 'long':
    case 'float':
    case 'double':
      return ofNumber(shape, numberOf(value, form, shape.type)).map(broken)
    case 'boolean':
      checkBoolean(value, form)
      return []
    case 'timestamp':
      checkMoment(value, form)
      return []
    default: // documents may contain anything
      return []
  }
}

function ofMembers(
  model: Model,
  shape: Shape,
  fields: Record<string, unknown>,
  form: WireFormat,
  path: string,
): ConstraintViolation[] {
  return Object.entries(shape.members ?? {}).flatMap(([name, at]) => {
    const value = fields[nameInRequest(name, at, form)]
    return memberViolations(model, { name, at, isRequired: shape.required?.includes(name) === true }, value, form, path)
  })
}

interface NamedMember {
  name: string
  at: Member
  isRequired: boolean
}

/** Validates a member of a structure at `path`. Null counts as missing. */
export function memberViolations(
  model: Model,
  { name, at, isRequired }: NamedMember,
  value: unknown,
  form: WireFormat,
  path: string,
): ConstraintViolation[] {
  const here = `${path === '' ? '' : `${path}.`}${name.charAt(0).toLowerCase()}${name.slice(1)}`
  if (value !== undefined && value !== null) return constraintViolations(model, at, value, form, here)
  return isRequired ? [{ path: here, value: undefined, rule: 'Member must not be null' }] : []
}

const ofLength = ({ min, max }: Shape, length: number): string[] => [
  ...(min !== undefined && length < min ? [`Member must have length greater than or equal to ${min}`] : []),
  ...(max !== undefined && length > max ? [`Member must have length less than or equal to ${max}`] : []),
]

const ofNumber = ({ min, max }: Shape, number: number): string[] => [
  ...(min !== undefined && number < min ? [`Member must have value greater than or equal to ${min}`] : []),
  ...(max !== undefined && number > max ? [`Member must have value less than or equal to ${max}`] : []),
]

function ofText(shape: Shape, text: string): string[] {
  if (shape.enum)
    return shape.enum.includes(text) ? [] : [`Member must satisfy enum value set: [${shape.enum.join(', ')}]`]
  const { pattern } = shape
  const misses = pattern !== undefined && !matchesPattern(pattern, text)
  return [
    ...ofLength(shape, text.length),
    ...(misses ? [`Member must satisfy regular expression pattern: ${pattern}`] : []),
  ]
}

/** Combines all violations in one sentence, like AWS. */
export function formatViolations(rules: readonly ConstraintViolation[]): string {
  const each = rules.map(({ path, value, rule }) => {
    const shown = value === undefined ? 'null' : `'${typeof value === 'string' ? value : JSON.stringify(value)}'`
    return `Value ${shown} at '${path}' failed to satisfy constraint: ${rule}`
  })
  return `${rules.length} validation error${rules.length === 1 ? '' : 's'} detected: ${each.join('; ')}`
}
