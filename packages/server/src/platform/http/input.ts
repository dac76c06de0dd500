import type { ErrorDetail, Route } from '@sluice/contract'
import { type TObject, type TSchema, Type } from 'typebox'
import { Compile, type Validator } from 'typebox/compile'
import { faultsOf, storageFaultsOf } from './faults.ts'
import { listed } from './listed.ts'
import { Refusal } from './refusal.ts'

/** The three places that input comes from. */
export interface Input {
  params: unknown
  query: unknown
  body: unknown
}

const nothing = Type.Object({}, { additionalProperties: false })

/** Returns the input of a route as its schemas have it, or refuses it with every fault. */
type Reader = (input: Input) => Input

const readers = new WeakMap<Route, Reader>()

/**
 * Reads the input of a route. Its schemas are compiled when it is first called, and once for the process: those of all
 * routes take a tenth of the processor time of a start, and most starts are followed by calls of few.
 */
export const inputReader =
  (route: Route): Reader =>
  (input) => {
    const read = readers.get(route) ?? compile(route)
    readers.set(route, read)
    return read(input)
  }

/** Texts in the query become the numbers, truth values and arrays that the schema asks for; a body stays as it is. */
function compile(route: Route): Reader {
  const params = Compile(route.params ?? nothing)
  const query = Compile(route.query ?? nothing)
  const convert = queryConverter(route.query ?? nothing)
  const bodySchema: TSchema = route.body ?? nothing
  const body = Compile(bodySchema)
  // An operation that takes an empty object takes no body as well.
  const bodyMayBeAbsent = body.Check({})

  return (raw) => {
    const input = {
      params: raw.params,
      query: convert(raw.query),
      body: raw.body === undefined && bodyMayBeAbsent ? {} : raw.body,
    }
    const details = [
      ...section('Path', params, input.params),
      ...section('Query', query, input.query),
      ...section('Body', body, input.body),
    ]
    if (details.length === 0) return input
    throw requestInvalid(details)
  }
}

/** Refuses a body for what its schema cannot say; each item begins with the JSON path of the fault. */
export const bodyInvalid = (items: string[]): Refusal => requestInvalid(listed('Body', items))

/** Refuses a request for all that is wrong with it. */
export function requestInvalid(details: ErrorDetail[]): Refusal {
  const count = details.reduce((sum, { items = [] }) => sum + items.length, 0)
  const faults = count === 1 ? 'a fault' : `${count} faults`
  return new Refusal('requestInvalid', `The request has ${faults}; the details name each.`, { details })
}

function section(title: string, validator: Validator, value: unknown): ErrorDetail[] {
  const items = [...storageFaultsOf(value), ...faultsOf(validator, value)]
  return listed(title, items)
}

/**
 * A query only has texts: what is no number or truth value where one is asked for stays as it is, for the schema to
 * refuse.
 */
function queryConverter(schema: TObject): (raw: unknown) => Record<string, unknown> {
  const integers = namesOf(schema, 'integer')
  const arrays = namesOf(schema, 'array')
  const booleans = namesOf(schema, 'boolean')
  const defaults = Object.fromEntries(
    Object.entries(schema.properties).flatMap(([name, property]) =>
      'default' in property ? [[name, property.default]] : [],
    ),
  )
  return (raw) => {
    const query: Record<string, unknown> = { ...defaults, ...(raw as Record<string, string | string[]>) }
    for (const name of integers) {
      const text = query[name]
      if (typeof text === 'string' && /^-?\d{1,15}$/.test(text)) query[name] = Number(text)
    }
    for (const name of booleans) {
      if (query[name] === 'true' || query[name] === 'false') query[name] = query[name] === 'true'
    }
    for (const name of arrays) {
      if (typeof query[name] === 'string') query[name] = [query[name]]
    }
    return query
  }
}

const namesOf = (schema: TObject, type: string): string[] =>
  Object.entries(schema.properties).flatMap(([name, property]) =>
    Reflect.get(property, 'type') === type ? [name] : [],
  )
