import type { Socket } from 'node:net'
import { type ApiErrorKey, apiErrors, type UserFacingError } from '@sluice/contract'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { databaseUnavailableReason, hasCause } from '../db/away.ts'
import { TurnTimeout } from '../db/connections/turns.ts'
import { newId } from '../ids.ts'
import { loggedError } from '../log/error.ts'
import { ApiError } from './api-error.ts'
import { errorHelpLink } from './guide.ts'
import { originOf } from './origin.ts'

export const requestIdHeader = 'x-request-id'

/** Sends the error response of a request. Every error body is created here, except for invalid HTTP. */
export function replyError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const isBusy = hasCause(error, TurnTimeout)
  const why = isBusy ? undefined : databaseUnavailableReason(error)
  const apiError = isBusy ? noTurn() : why === undefined ? asApiError(error) : unavailable()
  if (why !== undefined) request.log.warn({ why }, 'request failed: the database is away')
  else if (!apiError) request.log.error({ err: error }, 'request failed')
  const body = apiError?.toBody(request.id) ?? internalBody(error, request)
  const action = body.action ?? errorHelpLink(body.code, originOf(request.server, request))
  reply
    .headers({ ...apiError?.headers, [requestIdHeader]: request.id })
    .code(apiError?.status ?? apiErrors.internal.status)
    .type('application/json; charset=utf-8')
    .serializer(JSON.stringify)
    .send({ ...body, action })
}

function asApiError(error: unknown): ApiError | undefined {
  if (error instanceof ApiError) return error
  if (!(error instanceof Error) || !('code' in error)) return undefined
  switch (error.code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new ApiError('bodyTooLarge', 'The body is larger than this operation allows.')
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return mediaTypeUnsupported()
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return new ApiError('requestUnreadable', 'The body is not as long as its content-length says.')
    case 'FST_ERR_BAD_URL':
      return new ApiError('requestUnreadable', 'The path is not a valid percent-encoded path.')
    case 'FST_ERR_MAX_PARAM_LENGTH':
      return new ApiError('requestUnreadable', 'A part of the path is too long.')
    case 'ECONNRESET':
    case 'ERR_STREAM_PREMATURE_CLOSE':
      return new ApiError('requestUnreadable', 'The body ended early.')
    default:
      return undefined
  }
}

const noTurn = () =>
  new ApiError(
    'rateLimited',
    'The request waited too long for a database connection. Retry after the seconds in retry-after.',
    {},
    { 'retry-after': busyRetryAfterSeconds },
  )

/** Equals the time that a request waits for a database connection. */
const busyRetryAfterSeconds = '10'

/** A failover of the database takes a few seconds. */
const retryAfterSeconds = '2'

const unavailable = () =>
  new ApiError(
    'unavailable',
    'The database of the service is unavailable. Try again in a moment.',
    {},
    { 'retry-after': retryAfterSeconds },
  )

export const mediaTypeUnsupported = () =>
  new ApiError('mediaTypeUnsupported', 'Send the body as JSON, with content-type: application/json.')

/** Creates the body of a 500. Only a superadmin sees more than the request id; the log has the details. */
function internalBody(error: unknown, request: FastifyRequest): UserFacingError {
  const body = {
    code: apiErrors.internal.code,
    message: 'The server failed to handle this request. The request id finds it in the log.',
    requestId: request.id,
  }
  if (request.caller?.globalRole !== 'SUPERADMIN') return body
  const { type: name, message, stack = '' } = loggedError(error instanceof Error ? error : new Error(String(error)))
  return { ...body, isInternal: true, metadata: { name, message, stack: stack.split('\n') } }
}

/** Answers invalid HTTP directly on the socket, because there is no request to respond to. */
export function replyClientError(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const requestId = newId('req')
  const apiError = new ApiError(...unreadable(error.code))
  const body = JSON.stringify(apiError.toBody(requestId))
  socket.end(
    `HTTP/1.1 ${apiError.status} Bad Request\r\n${requestIdHeader}: ${requestId}\r\n` +
      'content-type: application/json; charset=utf-8\r\n' +
      `content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  )
}

function unreadable(code: string | undefined): [ApiErrorKey, string] {
  if (code === 'HPE_HEADER_OVERFLOW') return ['headersTooLarge', 'The headers are too large.']
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return ['requestTooSlow', 'The request took too long to arrive.']
  return ['requestUnreadable', 'This is not an HTTP request that can be read.']
}
