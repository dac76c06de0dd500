import type { IncomingHttpHeaders } from 'node:http'
import { CloudError } from '../errors.ts'
import { type ConstraintViolation, formatViolations } from '../model/input.ts'
import type { Model } from '../model/model.ts'
import type { WireFormat } from '../model/values.ts'

/** API request with a parsed signature. */
export interface HttpRequest {
  method: string
  url: URL
  headers: IncomingHttpHeaders
  body: Buffer
}

/** Response; `content-length` and the request id are added when it is sent. */
export interface HttpResponse {
  status: number
  headers: Record<string, string>
  body: string | Buffer
}

/** Operation of a request with its input. */
export interface ParsedRequest {
  operation: string
  input: object
}

/** Error constructors for errors that every operation can return, with the codes of the protocol. */
export interface CommonErrors {
  unknownOperation: (message: string) => CloudError
  /** The request matches no operation. */
  noRoute: (request: string) => CloudError
  invalidToken: (message: string) => CloudError
  expiredToken: (message: string) => CloudError
  accessDenied: (message: string) => CloudError
  throttled: (message: string) => CloudError
  unexpected: (message: string) => CloudError
  badSignature: (message: string) => CloudError
  /** Error for a signature algorithm that is not supported. */
  unknownAlgorithm: (algorithm: string) => CloudError
  /** Signature too old, or from a clock that is ahead. */
  skewed: (message: string) => CloudError
  /** A value of the wrong type, so that the request cannot be parsed. */
  unreadable: (message: string) => CloudError
  /** Values that violate the model. */
  invalid: (broken: readonly ConstraintViolation[]) => CloudError
}

/** Maximum age of a signature ("Troubleshoot signing"): five minutes, and 15 minutes for S3. */
export const usualSkewMs = 5 * 60_000

/** Wire protocol of a service. */
export interface Protocol {
  /** Wire format of its requests. */
  form: WireFormat
  /** Format of its responses, if different. */
  answerForm?: WireFormat
  /** Maximum clock skew of a signer. */
  longestSkewMs: number
  /** Parses a request; the model contains the operations. */
  read(request: HttpRequest, model: Model): ParsedRequest
  /** Serializes a result. Operations can return a `Reply` to control the whole response. */
  answer(operation: string, result: object, requestId: string): HttpResponse
  error(error: CloudError, requestId: string): HttpResponse
  errors: CommonErrors
}

type Named = [code: string, status: number]

/** Errors with a code and status per protocol; others derive from them. */
type NamedError = Exclude<keyof CommonErrors, 'noRoute' | 'unknownAlgorithm'> | 'incompleteSignature'

/** Creates the error constructors with these codes and statuses. */
export function commonErrors(names: Record<NamedError, Named>): CommonErrors {
  const make =
    ([code, status]: Named) =>
    (message: string) =>
      new CloudError(code, message, status)
  return {
    unknownOperation: make(names.unknownOperation),
    noRoute: (request) => make(names.unknownOperation)(`The service has no operation for ${request}.`),
    invalidToken: make(names.invalidToken),
    expiredToken: make(names.expiredToken),
    accessDenied: make(names.accessDenied),
    throttled: make(names.throttled),
    unexpected: make(names.unexpected),
    badSignature: make(names.badSignature),
    unknownAlgorithm: (algorithm) => make(names.incompleteSignature)(`Unsupported AWS 'algorithm': '${algorithm}'.`),
    skewed: make(names.skewed),
    unreadable: make(names.unreadable),
    invalid: (broken) => make(names.invalid)(formatViolations(broken)),
  }
}

/** Complete HTTP response of a REST operation. */
export class Reply {
  readonly status: number
  readonly headers: Record<string, string>
  readonly body: string | Buffer

  constructor(status: number, headers: Record<string, string> = {}, body: string | Buffer = '') {
    this.status = status
    this.headers = headers
    this.body = body
  }
}
