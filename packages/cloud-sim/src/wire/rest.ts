import type { CloudError } from '../errors.ts'
import { type Model, memberAt, shapeOf } from '../model/model.ts'
import { routerOf } from '../model/routes.ts'
import { jsonError, parseJson } from './json.ts'
import { type CommonErrors, commonErrors, type HttpRequest, type Protocol, Reply, usualSkewMs } from './protocol.ts'
import { decodeUtf8 } from './utf8.ts'

/**
 * Parses a REST request: path labels, query and body fields form the input. Opaque payloads and bodies of unsupported
 * operations are not parsed.
 */
export function readRest(
  request: HttpRequest,
  model: Model,
  { errors, parseBody }: { errors: CommonErrors; parseBody: (text: string) => object },
) {
  const match = routerOf(model)(request)
  if (!match) throw errors.noRoute(`${request.method} ${request.url.pathname}${request.url.search}`)
  const { operation, labels } = match
  const body = hasFields(model, operation) ? parseBody(decodeUtf8(request.body, errors.unreadable)) : {}
  return { operation, input: { ...body, ...Object.fromEntries(request.url.searchParams), ...labels } }
}

/** Reports whether a simulated operation's body has fields, rather than being one value. */
function hasFields(model: Model, operation: string): boolean {
  const described = model.operations[operation]
  if (!described) return false
  const shape = described.input === undefined ? undefined : shapeOf(model, described.input)
  const payload = shape?.payload === undefined ? undefined : shape.members?.[shape.payload]
  return payload === undefined || shapeOf(model, memberAt(payload).shape).type === 'structure'
}

/** Creates the REST protocol with JSON bodies. */
export function restJson(): Protocol {
  const headers = { 'content-type': 'application/json' }
  const errors = commonErrors({
    unknownOperation: ['UnknownOperationException', 404],
    invalidToken: ['UnrecognizedClientException', 403],
    expiredToken: ['ExpiredTokenException', 403],
    accessDenied: ['AccessDeniedException', 403],
    throttled: ['TooManyRequestsException', 429],
    unexpected: ['ServiceException', 500],
    incompleteSignature: ['IncompleteSignatureException', 400],
    badSignature: ['InvalidSignatureException', 403],
    skewed: ['InvalidSignatureException', 403],
    unreadable: ['InvalidRequestContentException', 400],
    invalid: ['ValidationException', 400],
  })
  return {
    form: 'json',
    longestSkewMs: usualSkewMs,
    read: (request, model) => readRest(request, model, { errors, parseBody: parseJson }),
    answer: (_operation, result) => ({ status: 200, headers, body: JSON.stringify(result) }),
    error: (error: CloudError) => ({
      status: error.status,
      headers: { ...headers, 'x-amzn-errortype': error.code },
      body: jsonError(error),
    }),
    errors,
  }
}

/** Creates a JSON response with status 201. */
export const created = (value: object) => new Reply(201, { 'content-type': 'application/json' }, JSON.stringify(value))

export const accepted = (value: object) => new Reply(202, { 'content-type': 'application/json' }, JSON.stringify(value))

export const noContent = () => new Reply(204)
