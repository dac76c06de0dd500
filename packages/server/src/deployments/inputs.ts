import { type Static, Type } from 'typebox'

/** One declared input, as far as it is checked here: its kind, and whether it must be there. */
export const DeclaredInput = Type.Object({
  id: Type.String({ minLength: 1 }),
  type: Type.String({ minLength: 1 }),
  required: Type.Optional(Type.Boolean()),
  default: Type.Optional(Type.Unknown()),
})
export type DeclaredInput = Static<typeof DeclaredInput>

type Json = Record<string, unknown>

/**
 * The values of the declared inputs, or every fault of those that were given, each with its path below `scope`
 * (`inputs` of a deployment, `input` of a module instance).
 */
export function resolveInputs(
  declared: DeclaredInput[],
  given: Json,
  scope: string,
): { values: Json } | { faults: string[] } {
  const ids = declared.map(({ id }) => id)
  const unknown = Object.keys(given)
    .filter((id) => !ids.includes(id))
    .map((id) => `${scope}.${id} is not an input of this module; it takes ${ids.join(', ') || 'none'}`)
  const wrong = declared.flatMap((input) =>
    faultOf(input, valueOfInput(input, given)).map((fault) => `${scope}.${input.id} ${fault}`),
  )
  const faults = [...unknown, ...wrong]
  if (faults.length > 0) return { faults }
  return { values: Object.fromEntries(declared.map((input) => [input.id, valueOfInput(input, given)])) }
}

/** A given null is a value, "left blank", and does not fall back to the default. */
const valueOfInput = ({ id, default: fallback = null }: DeclaredInput, given: Json): unknown =>
  Object.hasOwn(given, id) ? given[id] : fallback

function faultOf({ type, required }: DeclaredInput, value: unknown): string[] {
  const isMissing = value === null || value === '' || (Array.isArray(value) && value.length === 0)
  if (isMissing) return required ? ['is required'] : []
  return isOfType(type, value) ? [] : [`must be a ${type}`]
}

function isOfType(type: string, value: unknown): boolean {
  switch (type) {
    case 'string':
    case 'text':
      return typeof value === 'string'
    case 'number':
      return typeof value === 'number'
    case 'boolean':
      return typeof value === 'boolean'
    case 'string_array':
      return Array.isArray(value) && value.every((item) => typeof item === 'string')
    default:
      return true
  }
}
