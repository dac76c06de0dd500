import type { HttpRequest, ParsedRequest, Protocol } from '../wire/protocol.ts'
import { readXml } from '../wire/xml.ts'
import { type ConstraintViolation, memberViolations } from './input.ts'
import { type Member, type Model, memberAt, type Shape, shapeOf } from './model.ts'
import { type Fields, isFields, nameInRequest, TypeMismatch, type WireFormat } from './values.ts'

/**
 * Throws the service's error if a request violates its model: first for wrong types, which AWS cannot parse, then for
 * all violated constraints together. Unknown members are ignored, as by AWS.
 */
export function checkRequest(model: Model, protocol: Protocol, request: HttpRequest, reading: ParsedRequest): void {
  const { input, root } = model.operations[reading.operation] ?? {}
  if (input === undefined) return
  const shape = shapeOf(model, input)
  const body = protocol.form === 'xml' ? xmlBody(model, shape, request, root) : (reading.input as Fields)
  const broken = rulesBroken(model, protocol, { request, labels: reading.input as Fields, body }, shape)
  if (broken.length > 0) throw protocol.errors.invalid(broken)
}

function rulesBroken(
  model: Model,
  { form, errors }: Protocol,
  found: Omit<Sources, 'form'>,
  shape: Shape,
): ConstraintViolation[] {
  const sources = { ...found, form }
  try {
    return Object.entries(shape.members ?? {}).flatMap(([name, at]) => {
      const { value, isText } = memberIn(name, at, shapeOf(model, at).type === 'list', sources)
      if (name === shape.payload && sources.body === undefined) return []
      const isRequired = shape.required?.includes(name) === true
      return memberViolations(model, { name, at, isRequired }, value, isText ? 'query' : form, '')
    })
  } catch (error) {
    if (error instanceof TypeMismatch) throw errors.unreadable(error.message)
    throw error
  }
}

interface Sources {
  form: WireFormat
  request: HttpRequest
  labels: Fields
  body: Fields | undefined
}

/** Reads a member of the input from its location. Outside the body everything is text. */
function memberIn(name: string, at: Member, isList: boolean, { form, request, labels, body }: Sources) {
  const { location, locationName = name } = memberAt(at)
  switch (location) {
    case 'uri':
      return { value: labels[name] ?? labels[locationName], isText: true }
    case 'querystring': {
      const all = request.url.searchParams.getAll(locationName)
      return { value: isList && all.length > 0 ? all : all[0], isText: true }
    }
    case 'header': {
      const text = request.headers[locationName.toLowerCase()]
      return { value: isList && text !== undefined ? String(text).split(',') : text, isText: true }
    }
    case 'headers': // all with a prefix
      return { value: undefined, isText: true }
    default:
      return { value: body?.[nameInRequest(name, at, form)], isText: false }
  }
}

/** Parses an XML body. Returns `undefined` if it is no XML or uses chunked signing. */
function xmlBody(model: Model, shape: Shape, { body, headers }: HttpRequest, root?: string): Fields | undefined {
  const payload = shape.payload === undefined ? undefined : shape.members?.[shape.payload]
  if (root === undefined && (payload === undefined || shapeOf(model, payload).type !== 'structure')) return undefined
  if (String(headers['x-amz-content-sha256']).startsWith('STREAMING-')) return undefined
  const document: Fields = body.length === 0 ? {} : readXml(body.toString('utf8'))
  const elements = root === undefined ? document : document[root]
  return isFields(elements) ? elements : {}
}
