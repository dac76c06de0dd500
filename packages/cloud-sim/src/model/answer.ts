import type { HttpResponse, Protocol } from '../wire/protocol.ts'
import { readXml } from '../wire/xml.ts'
import { type ConstraintViolation, formatViolations, memberViolations } from './input.ts'
import { type Member, type Model, memberAt, type Shape, shapeOf } from './model.ts'
import { isFields, TypeMismatch, type WireFormat } from './values.ts'

/**
 * Returns how a response deviates from its service's model, or undefined. Unknown members also count, because AWS never
 * sends them.
 */
export function deviation(
  model: Model,
  { form: requestForm, answerForm: form = requestForm }: Pick<Protocol, 'form' | 'answerForm'>,
  operation: string,
  answer: HttpResponse,
): string | undefined {
  const { output } = model.operations[operation] ?? {}
  const shape: Shape = output === undefined ? { type: 'structure' } : shapeOf(model, output)
  try {
    const strangers: string[] = []
    const broken = membersOf(shape, bodyOf(model, shape, form, operation, answer), answer, strangers).flatMap(
      (member) => rulesBroken(model, member, form, strangers),
    )
    const counted = broken.filter((one) => !isNotHeld(one))
    const unknown = strangers.map((path) => `there is no ${path}`)
    const told = [...unknown, ...(counted.length > 0 ? [formatViolations(counted)] : [])]
    return told.length === 0 ? undefined : told.join('; ')
  } catch (error) {
    if (error instanceof TypeMismatch) return error.message
    throw error
  }
}

/**
 * AWS's responses violate their own patterns: documented command times are `2026-11-20T18:18:03.066Z` and `PT0.09S`.
 */
const patternRule = /regular expression pattern/

/** AWS also returns empty lists where the model requires an item: missing tags are `<Tags/>`. */
const leastLengthRule = /length greater than or equal to/

const isNotHeld = ({ rule, value }: ConstraintViolation): boolean =>
  patternRule.test(rule) ||
  (leastLengthRule.test(rule) && (value === '' || (Array.isArray(value) && value.length === 0)))

interface Found {
  name: string
  at: Member
  isRequired: boolean
  value: unknown
  /** Whether the value is text, as everywhere outside the body. */
  isText: boolean
}

function rulesBroken(model: Model, found: Found, form: WireFormat, strangers: string[]): ConstraintViolation[] {
  const { name, at, value, isText } = found
  const answers: WireFormat = form === 'json' ? 'json' : 'xml'
  try {
    if (value !== undefined && !isText) strangers.push(...strangersIn(model, at, value, answers, name))
    return memberViolations(model, found, value, isText ? 'query' : answers, '')
  } catch (error) {
    if (error instanceof TypeMismatch) throw new TypeMismatch(`${name}: ${error.message}`)
    throw error
  }
}

/** Returns the output's members with their values from body, headers or status. */
function membersOf(shape: Shape, body: unknown, { headers }: HttpResponse, strangers: string[]): Found[] {
  const members = Object.entries(shape.members ?? {})
  const inBody = members.filter(([name, at]) => memberAt(at).location === undefined && name !== shape.payload)
  const known = new Set(inBody.map(([name, at]) => memberAt(at).locationName ?? name))
  const fields = isFields(body) ? body : {}
  if (shape.payload === undefined) strangers.push(...Object.keys(fields).filter((name) => !known.has(name)))
  return members.flatMap(([name, at]): Found[] => {
    const { location, locationName = name } = memberAt(at)
    const isRequired = shape.required?.includes(name) === true
    if (location === 'header') {
      return [{ name, at, isRequired, value: headers[locationName.toLowerCase()], isText: true }]
    }
    if (location !== undefined) return [] // all headers with a prefix, or the status
    return [{ name, at, isRequired, value: name === shape.payload ? body : fields[locationName], isText: false }]
  })
}

/** Returns the parsed body, or the value of the member that is the whole body. */
function bodyOf(model: Model, shape: Shape, form: WireFormat, operation: string, { body }: HttpResponse): unknown {
  const payload = shape.payload === undefined ? undefined : shape.members?.[shape.payload]
  if (payload !== undefined && shapeOf(model, payload).type !== 'structure') return undefined // raw bytes
  const text = body.toString('utf8')
  if (form === 'json') return text === '' ? {} : JSON.parse(text)
  if (text === '') return payload === undefined ? {} : undefined
  const [root] = Object.values(readXml(text))
  if (form === 'xml') return root
  if (form === 'ec2') {
    const { requestId: _, ...members } = isFields(root) ? root : {}
    return members
  }
  const { [`${operation}Result`]: result = {}, ResponseMetadata: _, ...others } = isFields(root) ? root : {}
  return isFields(result) ? { ...result, ...others } : others
}

/** Returns the paths of members that the shape does not have. In JSON, timestamps must be numbers for clients. */
function strangersIn(model: Model, at: Member, value: unknown, form: WireFormat, path: string): string[] {
  const shape = shapeOf(model, at)
  const { member, value: item } = shape
  if (shape.type === 'timestamp' && form === 'json' && typeof value !== 'number') {
    throw new TypeMismatch('Expected a number of seconds for a Timestamp')
  }
  if (shape.type === 'list' && member !== undefined) {
    const isFlat = form === 'json' || shape.flattened === true || memberAt(at).flattened === true
    const name = memberAt(member).locationName ?? 'member'
    const others = !isFlat && isFields(value) ? Object.keys(value).filter((one) => one !== name) : []
    const found = isFlat || !isFields(value) ? value : value[name]
    const items = Array.isArray(found) ? found : found === undefined || found === '' ? [] : [found]
    const inner = items.flatMap((one, index) => strangersIn(model, member, one, form, `${path}[${index}]`))
    return [...others.map((one) => `${path}.${one}`), ...inner]
  }
  if (!isFields(value)) return []
  if (shape.type === 'map' && item !== undefined) {
    return Object.entries(value).flatMap(([key, one]) => strangersIn(model, item, one, form, `${path}.${key}`))
  }
  if (shape.type !== 'structure') return []
  const known = new Map(
    Object.entries(shape.members ?? {}).map(([name, one]) => [memberAt(one).locationName ?? name, one]),
  )
  return Object.entries(value).flatMap(([name, one]) => {
    const inner = known.get(name)
    return inner === undefined ? [`${path}.${name}`] : strangersIn(model, inner, one, form, `${path}.${name}`)
  })
}
