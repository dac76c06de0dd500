import { type Member, type Model, memberAt, shapeOf } from '../../src/model/model.ts'
import type { WireFormat } from '../../src/model/values.ts'
import { escaped } from '../../src/wire/xml.ts'

export interface SerializedRequest {
  method: string
  path: string
  headers: Record<string, string>
  body: string
}

type Fields = Record<string, unknown>

/** Serializes a request from its model alone, independently of the simulator's parsers. */
export function requestOf(model: Model, operation: string, input: Fields, form: WireFormat): SerializedRequest {
  const { http = 'POST /', input: at = '', root } = model.operations[operation] ?? {}
  const [method = 'POST', uri = '/'] = http.split(' ')
  if (form === 'query' || form === 'ec2') {
    const body = new URLSearchParams({ Action: operation, Version: model.version })
    if (form === 'query') flatten(model, at, input, '', body)
    else flattenPlain(model, at, input, '', body)
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    return { method, path: '/', headers, body: body.toString() }
  }
  if (uri === '/' && form === 'json') {
    const headers = { 'content-type': 'application/x-amz-json-1.1', 'x-amz-target': `${model.target}.${operation}` }
    return { method, path: '/', headers, body: JSON.stringify(input) }
  }
  return rest(model, { method, uri, at, root }, input, form)
}

interface Rest {
  method: string
  uri: string
  at: string
  root: string | undefined
}

function rest(model: Model, { method, uri, at, root }: Rest, input: Fields, form: WireFormat): SerializedRequest {
  const shape = shapeOf(model, at)
  const url = new URL(uri.replaceAll(/\{(\w+)\+?\}/g, '{$1}'), 'http://any')
  let path = url.pathname.replaceAll('%7B', '{').replaceAll('%7D', '}')
  const headers: Record<string, string> = {}
  const body: Fields = {}
  for (const [name, member] of Object.entries(shape.members ?? {})) {
    const value = input[name]
    if (value === undefined) continue
    const { location, locationName = name } = memberAt(member)
    if (location === 'uri') path = path.replace(`{${locationName}}`, encodeURIComponent(String(value)))
    else if (location === 'header' && locationName !== 'Content-Length')
      headers[locationName.toLowerCase()] = encodeURI(textOf(model, member, value))
    else if (location === 'querystring') {
      for (const one of Array.isArray(value) ? value : [value])
        url.searchParams.append(locationName, textOf(model, member, one))
    } else if (location === undefined) body[name] = value
  }
  const query = url.searchParams.size > 0 ? `?${url.searchParams}` : ''
  return { method, path: path + query, headers, body: bodyOf(model, { at, root }, body, form) }
}

function bodyOf(model: Model, { at, root }: Pick<Rest, 'at' | 'root'>, body: Fields, form: WireFormat): string {
  const { payload, members = {} } = shapeOf(model, at)
  if (form === 'json') {
    const named = Object.entries(body).map(([name, value]) => [
      memberAt(members[name] ?? name).locationName ?? name,
      value,
    ])
    return named.length > 0 ? JSON.stringify(Object.fromEntries(named)) : ''
  }
  if (root !== undefined) {
    const elements = Object.entries(body).map(([name, value]) => xml(model, members[name] ?? '', name, value))
    return `<${root}>${elements.join('')}</${root}>`
  }
  const member = payload === undefined ? undefined : members[payload]
  if (member === undefined || payload === undefined || body[payload] === undefined) return ''
  return shapeOf(model, member).type === 'structure'
    ? xml(model, member, payload, body[payload])
    : String(body[payload])
}

/** Serializes a value as text. Timestamps are dates outside JSON. */
const textOf = (model: Model, at: Member, value: unknown): string =>
  shapeOf(model, at).type === 'timestamp' && typeof value === 'number'
    ? new Date(value * 1000).toISOString()
    : String(value)

function flatten(model: Model, at: Member, value: unknown, name: string, into: URLSearchParams): void {
  const shape = shapeOf(model, at)
  const below = (step: string | number) => (name === '' ? String(step) : `${name}.${step}`)
  if (Array.isArray(value)) {
    value.forEach((item, index) => {
      flatten(model, shape.member ?? '', item, `${name}.member.${index + 1}`, into)
    })
    if (value.length === 0) into.append(name, '')
  } else if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value)
    if (shape.type === 'map') {
      members.forEach(([key, item], index) => {
        into.append(`${name}.entry.${index + 1}.key`, key)
        flatten(model, shape.value ?? '', item, `${name}.entry.${index + 1}.value`, into)
      })
    } else {
      for (const [key, item] of members) {
        const member = shape.members?.[key] ?? ''
        flatten(model, member, item, below(memberAt(member).locationName ?? key), into)
      }
    }
  } else into.append(name, textOf(model, at, value))
}

/** Flattens a value for the query protocol of EC2: numbered list items and capitalized names. */
function flattenPlain(model: Model, at: Member, value: unknown, name: string, into: URLSearchParams): void {
  const shape = shapeOf(model, at)
  const below = (step: string | number) => (name === '' ? String(step) : `${name}.${step}`)
  if (Array.isArray(value)) {
    value.forEach((item, index) => {
      flattenPlain(model, shape.member ?? '', item, below(index + 1), into)
    })
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, item] of Object.entries(value)) {
      const member = shape.members?.[key] ?? ''
      const { locationName = key } = memberAt(member)
      flattenPlain(model, member, item, below(locationName.charAt(0).toUpperCase() + locationName.slice(1)), into)
    }
  } else into.append(name, textOf(model, at, value))
}

function xml(model: Model, at: Member, name: string, value: unknown): string {
  const { locationName = name, flattened } = memberAt(at)
  const shape = shapeOf(model, at)
  const wrap = (inner: string) => `<${locationName}>${inner}</${locationName}>`
  if (Array.isArray(value)) {
    const { member = '' } = shape
    const isFlat = flattened || shape.flattened
    const items = value.map((item) => xml(model, member, isFlat ? locationName : 'member', item))
    return isFlat ? items.join('') : wrap(items.join(''))
  }
  if (typeof value === 'object' && value !== null) {
    const inner = Object.entries(value).map(([key, item]) => xml(model, shape.members?.[key] ?? '', key, item))
    return wrap(inner.join(''))
  }
  return wrap(escaped(textOf(model, at, value)))
}
