import type { CloudError } from '../errors.ts'
import { jsonError, parseJson } from './json.ts'
import { commonErrors, type HttpRequest, type Protocol, Reply, usualSkewMs } from './protocol.ts'

/**
 * How the operations of a REST service are told apart: `PUT /functions/{FunctionName}/code`. A label takes one segment,
 * `{Key+}` the rest of the path; `?list-type=2` or `?delete` must be in the query as well. The first that fits counts.
 */
export type RestRoutes = Record<string, string>

interface Matched {
  operation: string
  /** What the labels of the path stand for, decoded. */
  labels: Record<string, string>
}

/** Finds the operation that a request means; its name is empty where none fits. */
export function restRouter(routes: RestRoutes): (request: Pick<HttpRequest, 'method' | 'url'>) => Matched {
  const compiled = Object.entries(routes).map(([operation, route]) => ({ operation, ...compile(route) }))
  return ({ method, url }) => {
    for (const { operation, method: wanted, path, query } of compiled) {
      const found = method === wanted ? path.exec(url.pathname) : null
      const isAsked = query.every(([name, value]) =>
        value === undefined ? url.searchParams.has(name) : url.searchParams.get(name) === value,
      )
      if (found && isAsked) return { operation, labels: decoded(found.groups ?? {}) }
    }
    return { operation: '', labels: {} }
  }
}

function compile(route: string) {
  const [method = '', address = ''] = route.split(' ')
  const [path = '', flags = ''] = address.split('?')
  const pattern = path.replaceAll(/\{(\w+)(\+?)\}/g, (_label, name, greedy) => `(?<${name}>${greedy ? '.+' : '[^/]+'})`)
  const query =
    flags === '' ? [] : flags.split('&').map((flag): [string, string?] => flag.split('=') as [string, string?])
  return { method, path: new RegExp(`^${pattern}/?$`), query }
}

const decoded = (labels: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(labels).map(([name, text]) => [name, decodeURIComponent(text)]))

/** The REST protocol with JSON bodies: labels, query and the body's fields are the input together. */
export function restJson(routes: RestRoutes): Protocol {
  const route = restRouter(routes)
  const headers = { 'content-type': 'application/json' }
  return {
    form: 'json',
    longestSkewMs: usualSkewMs,
    read(request) {
      const { operation, labels } = route(request)
      const query = Object.fromEntries(request.url.searchParams)
      return { operation, input: { ...parseJson(request.body.toString('utf8')), ...query, ...labels } }
    },
    answer: (_operation, result) => ({ status: 200, headers, body: JSON.stringify(result) }),
    error: (error: CloudError) => ({
      status: error.status,
      headers: { ...headers, 'x-amzn-errortype': error.code },
      body: jsonError(error),
    }),
    errors: commonErrors({
      unknownOperation: ['UnknownOperationException', 404],
      invalidToken: ['UnrecognizedClientException', 403],
      expiredToken: ['ExpiredTokenException', 403],
      accessDenied: ['AccessDeniedException', 403],
      throttled: ['TooManyRequestsException', 429],
      unexpected: ['ServiceException', 500],
      badSignature: ['InvalidSignatureException', 403],
      skewed: ['InvalidSignatureException', 403],
      unreadable: ['InvalidRequestContentException', 400],
      invalid: ['ValidationException', 400],
    }),
  }
}

/** A JSON answer that says that something was made. */
export const created = (value: object) => new Reply(201, { 'content-type': 'application/json' }, JSON.stringify(value))

export const accepted = (value: object) => new Reply(202, { 'content-type': 'application/json' }, JSON.stringify(value))

export const noContent = () => new Reply(204)
