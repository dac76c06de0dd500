import type { CloudError } from '../errors.ts'
import { type CommonErrors, type Protocol, Reply, usualSkewMs } from './protocol.ts'
import { readRest } from './rest.ts'
import { readXml, writeXml } from './xml.ts'

const headers = { 'content-type': 'application/xml' }
const declaration = '<?xml version="1.0" encoding="UTF-8"?>\n'

/** Differences between services with REST and XML. */
interface Dialect {
  errors: CommonErrors
  /** Returns the XML elements of an error. */
  error: (error: CloudError, requestId: string) => object
}

/**
 * Creates the REST protocol with XML bodies. Path labels, query and body, under its root element, form the input.
 * Operations return an `xmlReply`.
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

/** Creates a response with the elements under `root` in the service's namespace. */
export function xmlReply(
  [root, namespace]: [root: string, namespace: string],
  elements: object,
  { status = 200, headers: more = {} }: { status?: number; headers?: Record<string, string> } = {},
): Reply {
  const body = `${declaration}<${root} xmlns="${namespace}">${writeXml(elements)}</${root}>`
  return new Reply(status, { ...headers, ...more }, body)
}
