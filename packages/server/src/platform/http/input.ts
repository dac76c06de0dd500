import type { ErrorDetail, Route } from '@sluice/contract'
import { type TObject, type TSchema, Type } from 'typebox'
import { Compile, type Validator } from 'typebox/compile'
import { ApiError } from './api-error.ts'
import { faultsOf, storageFaultsOf } from './faults.ts'
import { listed } from './listed.ts'

export interface Input {
  params: unknown
  query: unknown
  body: unknown
}

const nothing = Type.Object({}, { additionalProperties: false })

/** Validates the input of a route. Throws a `ApiError` with every error if it is invalid. */
type Reader = (input: Input) => Input

const readers = new WeakMap<Route, Reader>()

/**
 * Returns the validator of a route. Its schemas are compiled on the first call: compiling those of all routes takes a
 * tenth of the processor time of a start, and most processes serve few routes.
 */
export const inputReader =
  (route: Route): Reader =>
  (input) => {
    const read = readers.get(route) ?? compile(route)
    readers.set(route, read)
    return read(input)
  }

/** Compiles the schemas of a route. Query parameters are converted to the types of the schema; bodies are not. */
function compile(route: Route): Reader {
  const params = Compile(route.params ?? nothing)
  const query = Compile(route.query ?? nothing)
  const convert = queryConverter(route.query ?? nothing)
  const bodySchema: TSchema = route.body ?? nothing
  const body = Compile(bodySchema)
  // If the schema accepts an empty object, the body is optional.
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

/** Creates the error for a body with errors that a schema cannot express. Each item begins with a JSON path. */
export const bodyInvalid = (items: string[]): ApiError => requestInvalid(listed('Body', items))

/** Creates the error that lists every error of a request. */
export function requestInvalid(details: ErrorDetail[]): ApiError {
  return new ApiError('requestInvalid', 'The request is invalid. The details list each error.', { details })
}

function section(title: string, validator: Validator, value: unknown): ErrorDetail[] {
  const items = [...storageFaultsOf(value), ...faultsOf(validator, value)]
  return listed(title, items)
}

/**
 * Returns a function that converts query parameters to numbers, booleans and arrays. Text that cannot be converted
 * remains unchanged, and the schema rejects it.
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
