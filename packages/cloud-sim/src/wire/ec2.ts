import { CloudError } from '../errors.ts'
import { commonErrors, type Protocol, usualSkewMs } from './protocol.ts'
import { readForm, xml } from './query.ts'

const headers = { 'content-type': 'text/xml;charset=UTF-8' }

/** "Error codes for the Amazon EC2 API", read 2026-11. */
const errors = commonErrors({
  unknownOperation: ['InvalidAction', 400],
  invalidToken: ['AuthFailure', 401],
  expiredToken: ['RequestExpired', 400],
  accessDenied: ['UnauthorizedOperation', 403],
  throttled: ['RequestLimitExceeded', 503],
  unexpected: ['InternalError', 500],
  incompleteSignature: ['IncompleteSignature', 400],
  badSignature: ['AuthFailure', 401],
  skewed: ['AuthFailure', 401],
  unreadable: ['InvalidParameterValue', 400],
  invalid: ['InvalidParameterValue', 400],
})

/** Creates EC2's protocol: a form with numbered lists, and XML without a result element. */
export function ec2(namespace: string): Protocol {
  return {
    form: 'ec2',
    longestSkewMs: usualSkewMs,
    read(request, model) {
      const { action, version, input } = readForm(request, numbered, errors)
      if (version !== model.version) {
        const message = `The requested version (${version}) of service AmazonEC2 does not exist`
        throw new CloudError('NoSuchVersion', message)
      }
      return { operation: action, input }
    },
    answer: (operation, result, requestId) => {
      const inner = xml({ requestId, ...result }, 'item')
      return {
        status: 200,
        headers,
        body: `<${operation}Response xmlns="${namespace}">${inner}</${operation}Response>`,
      }
    },
    error: (error, requestId) => ({ status: error.status, headers, body: errorBody(error, requestId) }),
    errors,
  }
}

const numbered = <T extends ReadonlyMap<string, unknown>>(node: T): T | undefined =>
  [...node.keys()].every((name) => /^\d+$/.test(name)) ? node : undefined

const errorBody = ({ code, message }: CloudError, requestId: string): string =>
  `<Response>${xml({ Errors: { Error: { Code: code, Message: message } }, RequestID: requestId })}</Response>`
