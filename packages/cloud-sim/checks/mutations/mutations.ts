import { type Member, type Model, matchesPattern, memberAt, type Shape, shapeOf } from '../../src/model/model.ts'
import type { WireFormat } from '../../src/model/values.ts'
import { isText } from './values.ts'

/** Request with exactly one error. */
export interface Mutation {
  /** Path and kind of the error, such as `tags.0.key: too long`. */
  name: string
  input: Record<string, unknown>
}

type Path = (string | number)[]

/** Maximum sizes of generated texts and lists, because the requests are sent over HTTP. */
const maxTextLength = 200_000
const maxListLength = 2_000

/** Returns all errors that the model forbids for one member of a valid request. */
export function mutationsOf(model: Model, at: Member, input: Record<string, unknown>, form: WireFormat): Mutation[] {
  const wrong: Mutation[] = []
  const put = (path: Path, what: string, value: unknown) => {
    const changed = replaced(input, path, value) as Record<string, unknown>
    wrong.push({ name: `${path.join('.')}: ${what}`, input: changed })
  }
  visit(model, at, input, form, [], put)
  return wrong
}

type Put = (path: Path, what: string, value: unknown) => void

function visit(model: Model, at: Member, value: unknown, form: WireFormat, path: Path, put: Put): void {
  const shape = shapeOf(model, at)
  if (path.length > 0) {
    const kind = wrongKind(shape, form, memberAt(at).flattened === true || shape.flattened === true || isText(at))
    if (kind !== undefined) put(path, 'wrong type', kind)
    for (const [what, bad] of badValues(shape, value)) put(path, what, bad)
  }
  if (shape.type === 'structure') {
    for (const [name, member] of Object.entries(shape.members ?? {})) {
      const own = (value as Record<string, unknown>)[name]
      if (own === undefined || isOpaque(model, shape, name, member)) continue
      if (shape.required?.includes(name) && canBeMissing(member, value as object, form, path)) {
        put([...path, name], 'missing', undefined)
      }
      visit(model, member, own, isText(member) ? 'query' : form, [...path, name], put)
    }
  }
  if (shape.type === 'list' && shape.member) {
    visit(model, shape.member, (value as unknown[])[0], form, [...path, 0], put)
  }
  if (shape.type === 'map' && shape.value) {
    const [entry] = Object.entries(value as object)
    if (entry) visit(model, shape.value, entry[1], form, [...path, entry[0]], put)
  }
}

/** Members without which a request addresses another operation. */
const tellsOperation = ['x-amz-copy-source', 'Resource', 'partNumber', 'uploadId']

/** Reports whether a member can be omitted. Form encoding cannot express an empty structure. */
function canBeMissing(member: Member, siblings: object, form: WireFormat, path: Path): boolean {
  const { location, locationName = '' } = memberAt(member)
  if (location === 'uri' || (location !== undefined && tellsOperation.includes(locationName))) return false
  return form === 'json' || path.length === 0 || Object.keys(siblings).length > 1
}

/** Reports whether a member has no checkable value: raw bodies, prefixed headers and the content length. */
const isOpaque = (model: Model, shape: Shape, name: string, member: Member) =>
  memberAt(member).location === 'headers' ||
  memberAt(member).locationName === 'Content-Length' ||
  (shape.payload === name && shapeOf(model, member).type !== 'structure')

/** Returns a value of the wrong type, or undefined if the wire format cannot distinguish types. */
function wrongKind({ type }: Shape, form: WireFormat, isFlattened: boolean): unknown {
  switch (type) {
    case 'string':
    case 'blob':
      return form === 'json' ? 7 : undefined
    case 'boolean':
      return 'maybe'
    case 'timestamp':
      return 'some day'
    case 'document':
      return undefined
    case 'list':
      return isFlattened ? undefined : 'text'
    default:
      return 'text'
  }
}

function badValues(shape: Shape, value: unknown): [what: string, value: unknown][] {
  const { type, min, max } = shape
  switch (type) {
    case 'string':
      return badTexts(shape)
    case 'list':
      return badLists(shape, value as unknown[])
    case 'integer':
    case 'long':
    case 'float':
    case 'double':
      return [
        ...(min !== undefined ? [['too small', min - 1] as [string, number]] : []),
        ...(max !== undefined && max < 2 ** 53 ? [['too large', max + 1] as [string, number]] : []),
      ]
    default:
      return []
  }
}

function badTexts({ enum: values, pattern, min, max }: Shape): [string, string][] {
  if (values) return [['unknown value', 'no-such-value']]
  const misfit =
    pattern === undefined ? undefined : ['?!', ' ', 'ä', '\u0001'].find((text) => !matchesPattern(pattern, text))
  return [
    ...(misfit === undefined ? [] : [['against the pattern', misfit] as [string, string]]),
    ...(max !== undefined && max < maxTextLength ? [['too long', 'a'.repeat(max + 1)] as [string, string]] : []),
    ...(min !== undefined && min > 1 ? [['too short', 'a'.repeat(min - 1)] as [string, string]] : []),
  ]
}

function badLists({ min = 0, max }: Shape, items: unknown[]): [string, unknown[]][] {
  return [
    ...(max !== undefined && max < maxListLength
      ? [['too many', Array.from({ length: max + 1 }, () => items[0])] as [string, unknown[]]]
      : []),
    ...(min > 0 ? [['too few', items.slice(0, min - 1)] as [string, unknown[]]] : []),
  ]
}

function replaced(value: unknown, [step, ...rest]: Path, by: unknown): unknown {
  if (step === undefined) return by
  if (Array.isArray(value)) return value.map((item, index) => (index === step ? replaced(item, rest, by) : item))
  const fields = { ...(value as Record<string, unknown>) }
  const changed = replaced(fields[step], rest, by)
  if (changed === undefined) delete fields[step]
  else fields[step] = changed
  return fields
}
