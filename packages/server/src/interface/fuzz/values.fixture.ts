import fc from 'fast-check'
import { resourceOf } from '../../testing/resources.ts'
import type { JsonSchema } from '../openapi/json-schema.ts'

/** Generates placeholders of records, which are replaced when the request is sent: `@projects:7`. */
export const record = (resource: string): fc.Arbitrary<string> => fc.nat(1_000).map((pick) => `@${resource}:${pick}`)

/** Texts that are known to break SQL, JSON, HTML, shells, templates, regular expressions or file systems. */
const nasty = fc.constantFrom(
  '',
  ' ',
  '\0',
  '\u0000abc',
  '\ud800',
  '\udfff\ud800',
  '\ufeff',
  '\u202egnp.exe',
  '\r\n\r\nHTTP/1.1 200 OK',
  "'; drop table organizations; --",
  "' or 1=1 --",
  '$1',
  '%s%n%x',
  '%00',
  '../../../../etc/passwd',
  '__proto__',
  'constructor',
  'toString',
  '<script>alert(1)</script>',
  '$(reboot)',
  '`reboot`',
  '<< module.input.x >>',
  '<< >> << <<',
  '{{7*7}}',
  `\${7*7}`,
  '(a+)+$',
  `${'a'.repeat(64)}!`,
  'null',
  'undefined',
  'NaN',
  'true',
  '0',
  '-1',
  '1e309',
  '2026-02-30T25:61:61Z',
  '0000-00-00T00:00:00Z',
  '🏳️‍🌈'.repeat(50),
  'Z̮̞̠͙͔ͅḀ̗̞͈̻̗Ḷ͙͎̯̹̞͓G̻O̭̗̮',
  'x'.repeat(10_001),
)

export const hostileText = fc.oneof(nasty, fc.string({ unit: 'binary', maxLength: 300 }), fc.string({ maxLength: 50 }))

const hugeNumber = fc.constantFrom(
  Number.MAX_SAFE_INTEGER,
  -Number.MAX_SAFE_INTEGER,
  2 ** 53 + 2,
  1e308,
  -1e308,
  5e-324,
  0.1,
  -0,
  2 ** 31,
  2 ** 63,
)

const nested = fc.integer({ min: 1, max: 200 }).map((depth) => {
  let value: unknown = 1
  for (let level = 0; level < depth; level++) value = level % 2 === 0 ? [value] : { a: value }
  return value
})

/** Generates any JSON, with a preference for problematic values. */
export const hostile: fc.Arbitrary<unknown> = fc.oneof(
  hostileText,
  hugeNumber,
  nested,
  fc.jsonValue({ maxDepth: 3 }),
  fc.constantFrom(null, true, false, [], {}, [[]], [null], { data: {} }),
  fc.array(fc.constant(0), { minLength: 1_000, maxLength: 2_000 }),
)

const freeForm = fc.dictionary(fc.string({ maxLength: 20 }), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 4 })

/** Generates values that match a schema. */
export function valid(schema: JsonSchema, name = ''): fc.Arbitrary<unknown> {
  if (schema.const !== undefined) return fc.constant(schema.const)
  if (schema.enum) return fc.constantFrom(...schema.enum)
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map((one) => valid(one, name)))
  if (schema.properties) return validObject(schema)
  switch ([schema.type].flat()[0]) {
    case 'string':
      return validText(schema, name)
    case 'integer':
      return fc.integer({ min: schema.minimum ?? -1_000, max: schema.maximum ?? 1_000 })
    case 'number':
      return fc.double({
        noNaN: true,
        noDefaultInfinity: true,
        min: schema.minimum ?? -1e6,
        max: schema.maximum ?? 1e6,
      })
    case 'boolean':
      return fc.boolean()
    case 'null':
      return fc.constant(null)
    case 'array':
      return fc.array(valid(schema.items ?? {}, name), {
        minLength: schema.minItems ?? 0,
        maxLength: Math.min(schema.maxItems ?? 3, 5),
      })
    case 'object':
      return freeForm
    default:
      return fc.jsonValue({ maxDepth: 2 })
  }
}

function validText({ pattern, examples, minLength = 0, maxLength = 300 }: JsonSchema, name: string) {
  const texts = fc.string({ minLength, maxLength: Math.min(maxLength, minLength + 30) })
  const fitting = pattern === undefined ? texts : fc.stringMatching(new RegExp(pattern, 'u'), { size: 'small' })
  const choices = [fitting, ...(examples ? [fc.constantFrom(...(examples as string[]))] : [])]
  if (/Ids?$/.test(name) && pattern === undefined)
    return fc.oneof({ weight: 6, arbitrary: record(resourceOf(name)) }, fitting)
  return fc.oneof(...choices)
}

const validObject = ({ properties = {}, required = [] }: JsonSchema): fc.Arbitrary<unknown> =>
  fc.record(Object.fromEntries(Object.entries(properties).map(([name, property]) => [name, valid(property, name)])), {
    requiredKeys: required,
    noNullPrototype: true,
  })

/** Generates meaningful objects that match a schema: mostly as in the example, with new unique names. */
export function sensible(schema: JsonSchema, example: unknown): fc.Arbitrary<unknown> {
  if (!schema.properties || typeof example !== 'object' || example === null) return fc.constant(example)
  const { required = [], properties } = schema
  const fields = Object.entries(example).map(([name, value]) => {
    const property = properties[name] ?? {}
    if (property.properties) return [name, sensible(property, value)] as const
    if (/Ids?$/.test(name)) return [name, valid(property, name)] as const
    return [name, fc.oneof({ weight: 5, arbitrary: fc.constant(value) }, valid(property, name))] as const
  })
  return fc.record(Object.fromEntries(fields), {
    requiredKeys: required.filter((name) => name in example),
    noNullPrototype: true,
  })
}

/** Generates values with one part replaced, removed or added. */
export const mutated = (values: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc
    .tuple(values, fc.array(fc.tuple(fc.nat(), fc.nat(2), hostile, hostileText), { minLength: 1, maxLength: 3 }))
    .map(([value, changes]) =>
      changes.reduce((seen, [place, how, other, key]) => change(seen, place, how, other, key), value),
    )

function change(value: unknown, place: number, how: number, other: unknown, key: string): unknown {
  if (typeof value !== 'object' || value === null) return other
  const copy = Array.isArray(value) ? [...value] : { ...value }
  const keys = Object.keys(copy)
  const chosen = keys[place % (keys.length + 1)]
  if (chosen === undefined) {
    if (Array.isArray(copy)) copy.push(other)
    else Object.defineProperty(copy, key, { value: other, enumerable: true, configurable: true, writable: true })
    return copy
  }
  const inside: unknown = Reflect.get(copy, chosen)
  if (how === 0) Reflect.deleteProperty(copy, chosen)
  else if (how === 1) Reflect.set(copy, chosen, other)
  else Reflect.set(copy, chosen, change(inside, Math.floor(place / 7), place % 3, other, key))
  return copy
}

/** Generates invalid JSON, JSON with duplicate names, and JSON that is too large. */
export const brokenJson = (values: fc.Arbitrary<unknown>): fc.Arbitrary<Buffer> => {
  const texts = values.map((value) => JSON.stringify(value) ?? '')
  return fc.oneof(
    fc.tuple(texts, fc.nat()).map(([text, cut]) => Buffer.from(text.slice(0, cut % (text.length + 1)))),
    texts.map((text) => Buffer.from(`${text.slice(0, -1)},"data":${text}}`)),
    texts.map((text) => Buffer.from(text.replace(/"(\w+)":/, '"$1":1,"$1":'))),
    texts.map((text) => Buffer.from(`\ufeff${text}`)),
    texts.map((text) => Buffer.from(text.replace(/\d+/, '1e400'))),
    texts.map((text) => Buffer.from(text, 'utf16le')),
    texts.map((text) => Buffer.concat([Buffer.from(text.slice(0, -1)), Buffer.from([0xff, 0xfe, 0x80])])),
    fc.integer({ min: 1, max: 100_000 }).map((depth) => Buffer.from('['.repeat(depth))),
    fc.uint8Array({ maxLength: 500 }).map((bytes) => Buffer.from(bytes)),
    { weight: 1, arbitrary: fc.constant(Buffer.alloc(1024 * 1024 + 10, 'x')) },
  )
}
