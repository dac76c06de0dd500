import fc from 'fast-check'
import type { JsonSchema } from '../openapi/json-schema.ts'
import { brokenJson, hostile, hostileText, mutated, record, sensible, valid } from './values.fixture.ts'

/** Operation of the interface description with all references resolved. */
export type Operation = {
  [fc.toStringMethod]: () => string
  name: string
  method: string
  path: string
  params: { name: string; schema: JsonSchema }[]
  query: { name: string; schema: JsonSchema; isRequired: boolean }[]
  body?: { schema: JsonSchema; example: unknown }
}

/** Request before the names of records are replaced. */
export type Request = {
  operation: Operation
  /** Path with parameter values, and the query. */
  target: string
  headers: Record<string, string>
  body?: Buffer
  /** Index of the caller. */
  caller: number
}

/** Generates requests for the operation: most are valid, some have one error, some are completely random. */
export const requestTo = (operation: Operation): fc.Arbitrary<Request> =>
  fc.record(
    {
      operation: fc.constant(operation),
      target: targetOf(operation),
      headers: oddHeaders,
      body: bodyOf(operation),
      caller: fc.nat(99),
    },
    { requiredKeys: ['operation', 'target', 'headers', 'caller', ...(operation.body ? (['body'] as const) : [])] },
  ) as fc.Arbitrary<Request>

function targetOf({ path, params, query }: Operation): fc.Arbitrary<string> {
  const values = params.map(({ name, schema }) => {
    const resource = path.match(new RegExp(`([\\w-]+)/\\{${name}\\}`))?.[1] ?? ''
    return fc.oneof(
      { weight: 8, arbitrary: record(name === 'id' ? resource : name) },
      { weight: 1, arbitrary: valid(schema, name).map(String) },
      { weight: 1, arbitrary: hostileText },
    )
  })
  const queries = query.map(({ name, schema, isRequired }) =>
    fc.oneof(
      { weight: isRequired ? 0 : 12, arbitrary: fc.constant([]) },
      { weight: 8, arbitrary: valid(schema, name).map((value) => [value].flat().map((one) => [name, String(one)])) },
      { weight: 1, arbitrary: hostileText.map((text) => [[name, text]]) },
    ),
  )
  const strange = fc.oneof(
    { weight: 30, arbitrary: fc.constant([]) },
    { weight: 1, arbitrary: fc.tuple(hostileText, hostileText).map((pair) => [pair]) },
  )
  return fc.tuple(fc.tuple(...values), fc.tuple(...queries), strange).map(([segments, pairs, more]) => {
    const names = params.map(({ name }) => name)
    const filled = path.replaceAll(/\{(\w+)\}/g, (_, name) => encode(segments[names.indexOf(name)] ?? ''))
    const given = [...pairs.flat(), ...more].map(([name = '', value = '']) => `${encode(name)}=${encode(value)}`)
    return given.length === 0 ? filled : `${filled}?${given.join('&')}`
  })
}

/** Encodes a text, except for lone surrogates and placeholders of records. */
const encode = (text: string): string =>
  encodeURIComponent(text.toWellFormed()).replaceAll('%40', '@').replaceAll('%3A', ':')

function bodyOf({ body }: Operation): fc.Arbitrary<Buffer | undefined> {
  if (!body) {
    return fc.oneof(
      { weight: 9, arbitrary: fc.constant(undefined) },
      { weight: 1, arbitrary: hostile.map((value) => Buffer.from(JSON.stringify(value))) },
    )
  }
  const right = fc.oneof(valid(body.schema), { weight: 2, arbitrary: sensible(body.schema, body.example) })
  const asText = (value: unknown) => Buffer.from(JSON.stringify(value) ?? '')
  return fc.oneof(
    { weight: 10, arbitrary: right.map(asText) },
    { weight: 6, arbitrary: mutated(right).map(asText) },
    { weight: 1, arbitrary: hostile.map(asText) },
    { weight: 2, arbitrary: brokenJson(right) },
  )
}

/** Characters that a header can contain: no control characters, one byte each. */
const headerText = fc.string({ maxLength: 80 }).map((text) => text.replaceAll(/[^\x20-\x7e]/g, '?'))

const or = (...values: string[]) =>
  fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...values) }, { weight: 1, arbitrary: headerText })

const odd = fc.record(
  {
    'content-type': or('application/json; charset=utf-16', 'text/plain', 'application/xml', 'multipart/form-data', ''),
    'content-encoding': or('gzip', 'br', 'identity'),
    accept: or('text/html', 'application/xml;q=0.9', '*/*'),
    'accept-encoding': or('gzip', 'br', 'identity;q=0', '*;q=0', 'gzip;q=abc'),
    'accept-language': or('*', 'xx-invalid'),
    authorization: or(
      '',
      'Bearer',
      'Bearer slc_',
      `Bearer slc_${'a'.repeat(43)}`,
      'Basic YTpi',
      `Bearer ${'x'.repeat(5000)}`,
    ),
    cookie: or('sluice_session=x', 'sluice_session=', 'a=b; sluice_session=%00', '=;=;='),
    'idempotency-key': or('again', 'and-again', '', 'x'.repeat(300)),
    'if-none-match': or('*', 'W/"x"', '"', ',,,'),
    'if-modified-since': or('yesterday'),
    origin: or('null', 'https://evil.example', 'not an origin'),
    range: or('bytes=0-0', 'bytes=-1'),
    'x-forwarded-for': or('127.0.0.1', '::1', 'not an address'),
    'x-forwarded-proto': or('https'),
    'x-http-method-override': or('DELETE'),
    'x-request-id': or('mine', '{"a":1}', 'x'.repeat(200)),
    'x-sluice-csrf': or('1', '0'),
    'x-sluice-event-secret': or('guess'),
  },
  { requiredKeys: [] },
)

const oddHeaders: fc.Arbitrary<Record<string, string>> = fc.oneof(
  { weight: 5, arbitrary: fc.constant({}) },
  { weight: 2, arbitrary: fc.constantFrom('again', 'and-again').map((key) => ({ 'idempotency-key': key })) },
  { weight: 1, arbitrary: odd as fc.Arbitrary<Record<string, string>> },
)
