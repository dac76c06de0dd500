import { children, type Xml } from '../wire/xml.ts'
import { type Member, memberAt, type Shape } from './model.ts'

/**
 * Wire format of a request. JSON has types; in forms and XML everything is text. `ec2` is a form with different names.
 */
export type WireFormat = 'json' | 'query' | 'ec2' | 'xml'

/** Returns a member's name in the wire format. */
export function nameInRequest(name: string, at: Member, form: WireFormat): string {
  const { locationName = name } = memberAt(at)
  return form === 'ec2' ? locationName.charAt(0).toUpperCase() + locationName.slice(1) : locationName
}

/** Error for a value of the wrong type. */
export class TypeMismatch extends Error {}

export type Fields = Record<string, unknown>

const kindOf = (value: unknown): string => {
  if (value === true) return 'TRUE_VALUE'
  if (value === false) return 'FALSE_VALUE'
  if (typeof value === 'string') return 'STRING_VALUE'
  if (typeof value === 'number') return 'NUMBER_VALUE'
  return Array.isArray(value) ? 'START_ARRAY' : 'START_OBJECT'
}

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Returns the members of a structure or map. An empty XML element has none. */
export function fieldsOf(value: unknown, form: WireFormat): Fields {
  if (isFields(value)) return value
  if (form !== 'json' && value === '') return {}
  throw new TypeMismatch(Array.isArray(value) ? 'Unrecognized collection type' : 'Expected a structure or null')
}

/** Returns the entries of a map, which are numbered in a form: `Attributes.entry.1.key=…`. */
export function entriesOf(value: unknown, form: WireFormat): [key: string, value: unknown][] {
  const fields = fieldsOf(value, form)
  if (form === 'json') return Object.entries(fields)
  return Object.values(fieldsOf(fields.entry ?? {}, form)).map((entry) => {
    const { key, value: item } = fieldsOf(entry, form)
    return [expectText(key), item]
  })
}

/** Returns the items of a list. */
export function itemsOf(value: unknown, form: WireFormat, { member = '', flattened }: Shape, at: Member): unknown[] {
  if (form === 'xml') {
    if (flattened || memberAt(at).flattened) return Array.isArray(value) ? value : [value]
    if (typeof value === 'string' ? value.trim() !== '' : !isFields(value))
      throw new TypeMismatch('Expected list or null')
    return children(value as Xml, memberAt(member).locationName ?? 'member')
  }
  if (Array.isArray(value)) return value
  if (form !== 'json' && value === '') return []
  throw new TypeMismatch('Expected list or null')
}

const integer = /^[+-]?\d+$/
const limits: Record<string, number> = { integer: 2 ** 31, long: 2 ** 63 }

/** Returns a value as a number. */
export function numberOf(value: unknown, form: WireFormat, type: string): number {
  const isText = form !== 'json' && typeof value === 'string' && value.trim() !== ''
  const number = isText ? Number(value) : value
  const cannot = () =>
    new TypeMismatch(
      `${kindOf(value)} can not be converted to ${type === 'integer' ? 'an Integer' : `a ${title(type)}`}`,
    )
  if (typeof number !== 'number' || Number.isNaN(number)) {
    // JSON has no such numbers, so they are sent as text
    if (!limits[type] && ['NaN', 'Infinity', '-Infinity'].includes(String(value))) return Number(value)
    throw cannot()
  }
  if (limits[type] && !(integer.test(isText ? String(value) : number.toFixed(0)) && Math.abs(number) <= limits[type])) {
    throw cannot()
  }
  return number
}

const title = (type: string) => type.charAt(0).toUpperCase() + type.slice(1)

export function expectText(value: unknown): string {
  if (typeof value === 'string') return value
  throw new TypeMismatch(`${kindOf(value)} can not be converted to a String`)
}

export function checkBoolean(value: unknown, form: WireFormat): void {
  if (form === 'json' ? typeof value === 'boolean' : /^(true|false)$/i.test(String(value))) return
  throw new TypeMismatch(`${kindOf(value)} can not be converted to a Boolean`)
}

/** Validates a timestamp: seconds in JSON, otherwise a date; REST with JSON accepts both. */
export function checkMoment(value: unknown, form: WireFormat): void {
  if (form === 'json' && typeof value === 'number') return
  if (typeof value === 'string' && !Number.isNaN(Date.parse(value))) return
  throw new TypeMismatch(`${kindOf(value)} can not be converted to a Timestamp`)
}

/** Returns the size of a blob in bytes. */
export function bytesOf(value: unknown): number {
  const text = expectText(value)
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(text)) throw new TypeMismatch('Invalid base64 was found where a Blob was expected')
  return Buffer.byteLength(text, 'base64')
}
