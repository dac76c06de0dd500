import type { CloudError } from '../errors.ts'
import { type Model, memberAt, shapeOf } from '../model/model.ts'
import { routerOf } from '../model/routes.ts'
import { jsonError, parseJson } from './json.ts'
import { type CommonErrors, commonErrors, type HttpRequest, type Protocol, Reply, usualSkewMs } from './protocol.ts'
import { decodeUtf8 } from './utf8.ts'

/**
 * Reads a request of a REST service: labels, query and the body's fields are the input together. Only the body of a
 * simulated operation is read, and only one that is not an opaque payload, such as the content of a file.
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

/** Whether the body of a simulated operation has fields: that of others is one value. */
function hasFields(model: Model, operation: string): boolean {
  const described = model.operations[operation]
  if (!described) return false
  const shape = described.input === undefined ? undefined : shapeOf(model, described.input)
  const payload = shape?.payload === undefined ? undefined : shape.members?.[shape.payload]
  return payload === undefined || shapeOf(model, memberAt(payload).shape).type === 'structure'
}

/** The REST protocol with JSON bodies. */
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

/** A JSON answer that says that something was made. */
export const created = (value: object) => new Reply(201, { 'content-type': 'application/json' }, JSON.stringify(value))

export const accepted = (value: object) => new Reply(202, { 'content-type': 'application/json' }, JSON.stringify(value))

export const noContent = () => new Reply(204)
