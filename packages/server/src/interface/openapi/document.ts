import { createRequire } from 'node:module'
import {
  type ApiErrorKey,
  apiErrors,
  errorsOf,
  hasResponseBody,
  isRepeatable,
  payloadSchemaOf,
  type Route,
  routes,
  type SentNoticeType,
  sentNotices,
  sentNoticeTypes,
  tags,
  UserFacingError,
} from '@sluice/contract'
import type { TObject } from 'typebox'
import { isTagged } from '../../platform/http/etag.ts'
import { effects, requests } from '../release-gates/table.ts'
import { Components } from './components.ts'
import { exampleOf } from './examples.ts'
import { asJson, type JsonSchema } from './json-schema.ts'

type Json = Record<string, unknown>

/** Version of Sluice, as in the CHANGELOG. */
const { version: release } = createRequire(import.meta.url)('../../../package.json') as { version: string }

/** Returns the interface as an OpenAPI 3.1 document, derived from the routes. */
export function openApiDocument(routes: readonly Route[]) {
  const components = new Components()
  const paths: Record<string, Json> = {}
  for (const route of routes) {
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operation(route, components) }
  }
  const used = new Set(routes.map(({ tag }) => tag))
  return {
    openapi: '3.1.0',
    info: {
      title: 'Sluice',
      version: '0.0.0', // version of the interface, as its specification says
      'x-release': release,
      description: 'Infrastructure delivery that flows step by step and pauses where a person decides.',
      license: { name: 'Apache 2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/', description: 'This server.' }],
    security: [{ BearerAuth: [] }, { CookieAuth: [] }],
    tags: Object.entries(tags).flatMap(([name, description]) =>
      [...used].some((tag) => tag === name) ? [{ name, description }] : [],
    ),
    paths,
    webhooks: webhooks(components),
    components: {
      securitySchemes: {
        BearerAuth: { type: 'http', scheme: 'bearer', description: 'An API key: `slc_…`.' },
        CookieAuth: { type: 'apiKey', in: 'cookie', name: 'sluice_session', description: 'A session of the console.' },
      },
      parameters: requestHeaders,
      headers: responseHeaders,
      schemas: components.schemas,
    },
  }
}

export type OpenApiDocument = ReturnType<typeof openApiDocument>

const requestHeaders = {
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description: 'The same key with the same request gets the first answer again, for 24 hours.',
    schema: { type: 'string', minLength: 1, maxLength: 200, pattern: '^[!-~]+$' },
    example: 'e0a5e8a4-59c9-4a3a-9c0b-7c5ac1a2ab37',
  },
  IfNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    description: 'The ETag of an earlier answer: if it is still the same, the answer is 304 without a body.',
    schema: { type: 'string' },
    example: 'W/"rgbX2vJv0FZ5pRk3Kyxwzw"',
  },
}

const text = (description: string) => ({ description, schema: { type: 'string' } })

const responseHeaders = {
  'X-Request-Id': text('Finds the request in the server log.'),
  ETag: text('Changes whenever the answer does.'),
  'Idempotency-Replayed': text('`true` where this is the answer to an earlier request with the same key.'),
  'Sluice-Dry-Run': text('`true` where nothing was made: the request asked for a dry run.'),
  'Sluice-Warnings': text('A list in JSON of what was accepted and is not as it may be meant.'),
  'Retry-After': text('Seconds to wait before trying again.'),
  'WWW-Authenticate': text('How to authenticate.'),
}

const headersOf = (...names: (keyof typeof responseHeaders)[]) =>
  Object.fromEntries(['X-Request-Id', ...names].map((name) => [name, { $ref: `#/components/headers/${name}` }]))

function operation(route: Route, components: Components): Json {
  const { operationId, tag, summary, permission, params, query, body } = route
  const parameters = [
    ...(params ? parametersIn('path', params, components) : []),
    ...(query ? parametersIn('query', query, components) : []),
    ...(isRepeatable(route) ? [{ $ref: '#/components/parameters/IdempotencyKey' }] : []),
    ...(isTagged(route) ? [{ $ref: '#/components/parameters/IfNoneMatch' }] : []),
  ]
  return {
    operationId,
    tags: [tag],
    summary,
    ...(permission.includes(':') && { description: `Needs the permission \`${permission}\`.` }),
    ...(permission === 'anyone' && { security: [] }),
    ...(operationId in requests && { 'x-gates': gatesOf(operationId as keyof typeof requests) }),
    ...(parameters.length > 0 && { parameters }),
    ...(body && { requestBody: { required: true, content: contentOf(asJson(body), components) } }),
    responses: { ...successes(route, components), ...failures(route, components) },
  }
}

/**
 * Returns the gates that can block an operation which changes deployments, infrastructure or a gate; empty if there is
 * none.
 */
const gatesOf = (operationId: keyof typeof requests): readonly string[] => effects[requests[operationId].effect].gates

const parametersIn = (place: 'path' | 'query', schema: TObject, components: Components): Json[] => {
  const { properties = {}, required = [] } = asJson(schema)
  return Object.entries(properties).map(([name, property]) => {
    const { description, ...rest } = property
    return {
      name,
      in: place,
      ...(description !== undefined && { description }),
      required: required.includes(name) && property.default === undefined,
      schema: components.refer(rest),
      example: exampleOf(property, name),
    }
  })
}

const contentOf = (schema: JsonSchema, components: Components, type = 'application/json') => ({
  [type]: { schema: components.refer(schema), example: exampleOf(schema) },
})

const table = {
  'text/csv': {
    schema: { type: 'string', description: 'The rows as a table (RFC 4180), their fields as its columns.' },
    example: 'startTime,deployments\r\n2026-03-01T00:00:00.000Z,4\r\n',
  },
}

/** Returns the requests that notification channels of the type WEBHOOK receive, one for each event type. */
const webhooks = (components: Components): Record<string, Json> =>
  Object.fromEntries(sentNoticeTypes.map((type) => [type, { post: webhook(type, components) }]))

const webhook = (type: SentNoticeType, components: Components): Json => ({
  operationId: `on${type.replaceAll(/(?:^|[._])([a-z])/g, (_, letter: string) => letter.toUpperCase())}`,
  tags: ['Notifications'],
  summary: sentNotices[type].description,
  security: [],
  parameters: Object.entries(signingHeaders).map(([name, { description, example }]) => ({
    name,
    in: 'header',
    required: true,
    description,
    schema: { type: 'string' },
    example,
  })),
  requestBody: { required: true, content: contentOf(asJson(payloadSchemaOf(type)), components) },
  responses: {
    '2XX': { description: 'It has arrived.' },
    410: { description: 'The receiver wants to hear no more: the channel is disabled.' },
  },
})

/** https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md, read 2026-11-25 */
const signingHeaders = {
  'webhook-id': {
    description: 'The delivery. The same at each of its attempts.',
    example: 'ndl_01kb0000000000000000000000',
  },
  'webhook-timestamp': { description: 'When it was sent. Seconds since 1970.', example: '1764077801' },
  'webhook-signature': {
    description: 'Signatures of `<webhook-id>.<webhook-timestamp>.<body>`, with a space between: `v1,` and base64.',
    example: 'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  },
}

const publishesConfig = (route: Route) =>
  route === routes.createModuleDefinition || route === routes.createModuleVersion

function successes(route: Route, components: Components): Record<string, Json> {
  const { summary, response, responseType, asCsv, otherStatuses = [] } = route
  const [status, schema] = response
  const headers = headersOf(
    ...(isTagged(route) ? (['ETag'] as const) : []),
    ...(isRepeatable(route) ? (['Idempotency-Replayed'] as const) : []),
    ...(publishesConfig(route) ? (['Sluice-Warnings'] as const) : []),
  )
  const body = asJson(schema)
  const answer = {
    description: `${summary}.`,
    headers,
    ...(hasResponseBody(route) && {
      content: { ...contentOf(body, components, responseType), ...(asCsv && table) },
    }),
  }
  const others = otherStatuses.map((code) => {
    if (code === 204) return [code, { description: 'Nothing is left to do.', headers }]
    return [code, isDryRun(route, code) ? { ...answer, ...dryRun(headers) } : answer]
  })
  return {
    [status]: answer,
    ...Object.fromEntries(others),
    ...(isTagged(route) && { 304: { description: 'It is as it was.', headers: headersOf('ETag') } }),
  }
}

const isDryRun = (route: Route, code: number): boolean =>
  code === 200 && (route === routes.createModuleVersion || route === routes.createPipelineVersion)

/** Response to a dry run; not 201, because nothing is created. */
const dryRun = (headers: Json) => ({
  description: 'A dry run: what would be made, and nothing is.',
  headers: { ...headers, ...headersOf('Sluice-Dry-Run') },
})

function failures(route: Route, components: Components): Record<string, Json> {
  const byStatus = Map.groupBy(errorsOf(route), (key) => apiErrors[key].status)
  return Object.fromEntries([...byStatus].map(([status, keys]) => [status, failure(status, keys, components)]))
}

const failure = (status: number, keys: ApiErrorKey[], components: Components): Json => ({
  description: keys.map((key) => apiErrors[key].title).join(' '),
  headers: headersOf(
    ...(status === 429 || status === 503 ? (['Retry-After'] as const) : []),
    ...(status === 401 ? (['WWW-Authenticate'] as const) : []),
  ),
  content: {
    'application/json': {
      schema: components.refer(asJson(UserFacingError)),
      examples: Object.fromEntries(
        keys.map((key) => {
          const { code, title } = apiErrors[key]
          return [
            key,
            { summary: title, value: { code, message: title, requestId: exampleOf({ type: 'string' }, 'requestId') } },
          ]
        }),
      ),
    },
  },
})
