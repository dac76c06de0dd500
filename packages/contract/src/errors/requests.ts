import type { ApiErrorEntry } from './entry.ts'

export const requestErrors = {
  requestInvalid: {
    code: 'Sluice:Request:INVALID',
    status: 400,
    title: 'The request does not match the schema of the operation.',
  },
  malformedJson: { code: 'Sluice:Request:MALFORMED_JSON', status: 400, title: 'The body is not valid JSON.' },
  requestUnreadable: { code: 'Sluice:Request:UNREADABLE', status: 400, title: 'The request cannot be read.' },
  requestTooSlow: { code: 'Sluice:Request:TOO_SLOW', status: 408, title: 'The request took too long to arrive.' },
  headersTooLarge: { code: 'Sluice:Request:HEADERS_TOO_LARGE', status: 431, title: 'The headers are too large.' },
  cursorInvalid: {
    code: 'Sluice:Request:CURSOR_INVALID',
    status: 400,
    title: 'The cursor does not belong to this list.',
  },
  routeNotFound: { code: 'Sluice:Request:ROUTE_NOT_FOUND', status: 404, title: 'The path does not exist.' },
  nothingDescribed: {
    code: 'Sluice:Describe:NOT_FOUND',
    status: 404,
    title: 'No resource visible to the caller has this ID, ARN or address.',
  },
  methodNotAllowed: {
    code: 'Sluice:Request:METHOD_NOT_ALLOWED',
    status: 405,
    title: 'The path does not support this method.',
  },
  bodyTooLarge: { code: 'Sluice:Request:BODY_TOO_LARGE', status: 413, title: 'The body is too large.' },
  mediaTypeUnsupported: {
    code: 'Sluice:Request:MEDIA_TYPE_UNSUPPORTED',
    status: 415,
    title: 'The body is not declared as JSON.',
  },
  rateLimited: { code: 'Sluice:Request:RATE_LIMITED', status: 429, title: 'Too many requests.' },
  referenceNotFound: {
    code: 'Sluice:Request:REFERENCE_NOT_FOUND',
    status: 422,
    title: 'A resource named in the body does not exist.',
  },
  reportTooLarge: {
    code: 'Sluice:Reports:TOO_LARGE',
    status: 422,
    title: 'The report would have too many rows.',
  },
  idempotencyKeyReused: {
    code: 'Sluice:Request:IDEMPOTENCY_KEY_REUSED',
    status: 422,
    title: 'The Idempotency-Key was already used with another request.',
  },
  unavailable: {
    code: 'Sluice:Server:UNAVAILABLE',
    status: 503,
    title: 'The service cannot reach its database.',
  },
  notReady: {
    code: 'Sluice:Server:NOT_READY',
    status: 503,
    title: 'The process is not ready: `metadata.checks` contains the failed checks.',
  },
  internal: { code: 'Sluice:Server:INTERNAL', status: 500, title: 'An internal server error occurred.' },
} as const satisfies Record<string, ApiErrorEntry>
