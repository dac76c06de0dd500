import type { CloudError } from '../errors.ts'
import { type CommonErrors, type Protocol, Reply, usualSkewMs } from './protocol.ts'
import { readRest } from './rest.ts'
import { readXml, writeXml } from './xml.ts'

const headers = { 'content-type': 'application/xml' }
const declaration = '<?xml version="1.0" encoding="UTF-8"?>\n'

/** What services that speak REST with XML do not have in common. */
interface Dialect {
  errors: CommonErrors
  /** The element that tells of an error. */
  error: (error: CloudError, requestId: string) => object
}

/**
 * The REST protocol with XML bodies: labels, query and the body under the name of its root element are the input
 * together. Operations answer with `xmlReply`, since root, status and headers are theirs to say.
 */
export function restXml({ errors, error: errorElement }: Dialect): Protocol {
  const parseBody = (text: string) => (text === '' ? {} : readXml(text))
  return {
    form: 'xml',
    longestSkewMs: usualSkewMs,
    read: (request, model) => readRest(request, model, { errors, parseBody }),
    answer: () => ({ status: 200, headers: {}, body: '' }),
    error: (error, requestId) => ({
      status: error.status,
      headers,
      body: declaration + writeXml(errorElement(error, requestId)),
    }),
    errors,
  }
}

/** An answer whose body is `root` with the given elements in the service's namespace. */
export function xmlReply(
  [root, namespace]: [root: string, namespace: string],
  elements: object,
  { status = 200, headers: more = {} }: { status?: number; headers?: Record<string, string> } = {},
): Reply {
  const body = `${declaration}<${root} xmlns="${namespace}">${writeXml(elements)}</${root}>`
  return new Reply(status, { ...headers, ...more }, body)
}
