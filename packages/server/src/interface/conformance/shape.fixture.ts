/**
 * Shape of a value: a word of the specification, a set of texts, a list, alternatives, or a closed object whose fields
 * are required unless their name ends in `?`.
 */
export type Shape =
  | 'string'
  | 'UtcDateTime'
  | 'integer'
  | 'boolean'
  | 'object'
  | 'any'
  | { oneOf: readonly (string | Shape)[] }
  | { each: Shape }
  | { [field: string]: Shape }

/** Section "Conventions": mandatory Z, and 0 to 9 digits of fractional seconds. */
const utcDateTime = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?Z$/

/** Returns all deviations of a value from its shape. */
export function faultsOf(shape: Shape, value: unknown, place = '$'): string[] {
  const wrong = (expected: string) => [`${place}: expected ${expected}, got ${JSON.stringify(value)}`]
  if (typeof shape === 'string') return isA(shape, value) ? [] : wrong(shape)
  if (isChoice(shape)) {
    const matches = (one: string | Shape) =>
      one === value || (typeof one === 'object' && faultsOf(one, value).length === 0)
    return shape.oneOf.some(matches) ? [] : wrong(`one of ${JSON.stringify(shape.oneOf)}`)
  }
  if (isList(shape)) {
    if (!Array.isArray(value)) return wrong('a list')
    return value.flatMap((item, index) => faultsOf(shape.each, item, `${place}[${index}]`))
  }
  if (!isObject(value)) return wrong('an object')
  const fields = Object.entries(shape).map(([name, field]) => ({
    name: name.replace(/\?$/, ''),
    isRequired: !name.endsWith('?'),
    field,
  }))
  const unknown = Object.keys(value).filter((name) => !fields.some((field) => field.name === name))
  return [
    ...unknown.map((name) => `${place}.${name}: the specification has no such field`),
    ...fields.flatMap(({ name, isRequired, field }) => {
      if (name in value) return faultsOf(field, value[name], `${place}.${name}`)
      return isRequired ? [`${place}.${name}: is missing`] : []
    }),
  ]
}

function isA(word: string, value: unknown): boolean {
  switch (word) {
    case 'string':
      return typeof value === 'string'
    case 'UtcDateTime':
      return typeof value === 'string' && utcDateTime.test(value)
    case 'integer':
      return Number.isInteger(value)
    case 'boolean':
      return typeof value === 'boolean'
    case 'object':
      return isObject(value)
    default:
      return true
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isChoice = (shape: Exclude<Shape, string>): shape is { oneOf: readonly (string | Shape)[] } =>
  Array.isArray(Reflect.get(shape, 'oneOf'))

const isList = (shape: Exclude<Shape, string>): shape is { each: Shape } => 'each' in shape
