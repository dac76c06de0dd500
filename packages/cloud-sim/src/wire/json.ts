import { CloudError } from '../errors.ts'
import { commonErrors, type Protocol, usualSkewMs } from './protocol.ts'
import { decodeUtf8 } from './utf8.ts'

/** SDK type in its wire format, in which timestamps are seconds. */
export type Wire<T> = T extends Date
  ? number
  : T extends (infer Item)[]
    ? Wire<Item>[]
    : T extends object
      ? { [Name in keyof T]: Wire<T[Name]> }
      : T

/** Converts a timestamp (epoch milliseconds) to its wire format. */
export const seconds = (timestamp: number) => timestamp / 1000

export function parseJson(text: string): object {
  try {
    const value: unknown = JSON.parse(text || '{}')
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  } catch {
    // handled below, like JSON that is no object
  }
  throw new CloudError('SerializationException', 'The request body is not a JSON object.')
}

export const jsonError = ({ code, message }: CloudError) => JSON.stringify({ __type: code, message })

/** Differences between services with JSON protocols. */
interface Dialect {
  /** Error codes in the query protocol, if they differ. */
  queryCodes?: Record<string, string>
  /** Error code for violations of the model. */
  invalid?: string
}

/**
 * Creates a JSON protocol: the header `x-amz-target: Service.Operation` selects the operation, and the body is its
 * input. Services that formerly used the query protocol return its error code in a header.
 */
function json(contentType: string, { queryCodes, invalid = 'ValidationException' }: Dialect): Protocol {
  const headers = { 'content-type': contentType }
  const errors = commonErrors({
    unknownOperation: ['UnknownOperationException', 400],
    invalidToken: ['UnrecognizedClientException', 400],
    expiredToken: ['ExpiredTokenException', 400],
    accessDenied: ['AccessDeniedException', 400],
    throttled: ['ThrottlingException', 400],
    unexpected: ['ServerException', 500],
    incompleteSignature: ['IncompleteSignatureException', 400],
    badSignature: ['InvalidSignatureException', 400],
    skewed: ['InvalidSignatureException', 400],
    unreadable: ['SerializationException', 400],
    invalid: [invalid, 400],
  })
  return {
    form: 'json',
    longestSkewMs: usualSkewMs,
    read({ method, url, headers: { 'x-amz-target': header }, body }, { target }) {
      const [prefix, operation, ...more] = String(header ?? '').split('.')
      if (method !== 'POST' || url.pathname !== '/' || prefix !== target || !operation || more.length > 0) {
        throw errors.noRoute(`${method} ${url.pathname} with the target ${header ?? '(none)'}`)
      }
      return { operation, input: parseJson(decodeUtf8(body, errors.unreadable)) }
    },
    answer: (_operation, result) => ({ status: 200, headers, body: JSON.stringify(result) }),
    error: (error) => ({
      status: error.status,
      headers: queryCodes ? { ...headers, 'x-amzn-query-error': queryError(error, queryCodes) } : headers,
      body: jsonError(error),
    }),
    errors,
  }
}

const queryError = ({ code, status }: CloudError, queryCodes: Record<string, string>) =>
  `${queryCodes[code] ?? code};${status < 500 ? 'Sender' : 'Receiver'}`

export const json10 = (queryCodes: Record<string, string>) => json('application/x-amz-json-1.0', { queryCodes })
export const json11 = json('application/x-amz-json-1.1', {})
/** Creates a JSON 1.1 protocol with another error code for invalid input. */
export const json11With = (invalid: string) => json('application/x-amz-json-1.1', { invalid })
