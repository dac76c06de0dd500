import type { IncomingHttpHeaders } from 'node:http'
import { CloudError } from '../errors.ts'
import { type BrokenRule, sentence } from '../model/input.ts'
import type { Model } from '../model/model.ts'
import type { Form } from '../model/values.ts'

/** A request of the cloud's own interface as it came in, after its signature was read. */
export interface HttpRequest {
  method: string
  url: URL
  headers: IncomingHttpHeaders
  body: Buffer
}

/** An answer as it goes out; `content-length` and the request's id are added on the way. */
export interface HttpAnswer {
  status: number
  headers: Record<string, string>
  body: string | Buffer
}

/** Which operation a request means, and what it says. */
export interface Reading {
  operation: string
  input: object
}

/** Errors that every operation of a service may answer, as makers: each protocol names them in its own way. */
export interface CommonErrors {
  unknownOperation: (message: string) => CloudError
  /** A request that means no operation of the service. */
  noRoute: (request: string) => CloudError
  invalidToken: (message: string) => CloudError
  expiredToken: (message: string) => CloudError
  accessDenied: (message: string) => CloudError
  throttled: (message: string) => CloudError
  unexpected: (message: string) => CloudError
  badSignature: (message: string) => CloudError
  /** Signed in a way that the cloud does not know. */
  unknownAlgorithm: (algorithm: string) => CloudError
  /** Signed too long ago, or by a clock that is ahead. */
  skewed: (message: string) => CloudError
  /** A value of another kind than it must be: the request cannot be read. */
  unreadable: (message: string) => CloudError
  /** Values that break rules of the model. */
  invalid: (broken: readonly BrokenRule[]) => CloudError
}

/** "Troubleshoot signing": a signature is good for five minutes; storage alone takes a quarter of an hour. */
export const usualSkewMs = 5 * 60_000

/** How a service puts requests, results and errors on the wire. */
export interface Protocol {
  /** How values stand in its requests. */
  form: Form
  /** The same of its answers, where that is another. */
  answerForm?: Form
  /** How far the clock of who signs may be off. */
  longestSkewMs: number
  /** The model says which requests mean which operation. */
  read(request: HttpRequest, model: Model): Reading
  /** An operation may also answer with a `Reply`, where more than the result matters. */
  answer(operation: string, result: object, requestId: string): HttpAnswer
  error(error: CloudError, requestId: string): HttpAnswer
  errors: CommonErrors
}

type Named = [code: string, status: number]

/** Those whose code and status each protocol names; the others are made of them. */
type NamedError = Exclude<keyof CommonErrors, 'noRoute' | 'unknownAlgorithm'> | 'incompleteSignature'

/** The makers of errors with the given names and HTTP statuses. */
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
    invalid: (broken) => make(names.invalid)(sentence(broken)),
  }
}

/** A whole HTTP answer of an operation of a REST service: status, headers and body as they are. */
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
