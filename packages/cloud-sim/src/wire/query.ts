import { CloudError } from '../errors.ts'
import { type CommonErrors, commonErrors, type HttpRequest, type Protocol, usualSkewMs } from './protocol.ts'
import { decodeUtf8 } from './utf8.ts'
import { escaped } from './xml.ts'

/** Input of a query request, in which numbers and booleans are text. */
export type Params = { [name: string]: string | Params | Params[] | string[] }

type Node = Map<string, Node | string>

/** Returns the items of a list by number, or undefined if the node is no list. */
type ListOf = (node: Node) => Node | undefined

/** Parses names such as `Actions.member.1.Type=forward` to objects and lists. */
export function parseQuery(body: string, listOf: ListOf): Params {
  const root: Node = new Map()
  for (const [name, value] of new URLSearchParams(body)) {
    const path = name.split('.')
    const last = path.pop() ?? ''
    let node = root
    for (const step of path) {
      const child = node.get(step)
      const next: Node = child instanceof Map ? child : new Map()
      if (next !== child) node.set(step, next)
      node = next
    }
    node.set(last, value)
  }
  return toObject(root, listOf)
}

/** Parses a form request: the body of a POST or the query of a GET. */
export function readForm(
  { method, url, body }: HttpRequest,
  listOf: ListOf,
  { noRoute, unreadable }: Pick<CommonErrors, 'noRoute' | 'unreadable'>,
): { action: string; version: string; input: Params } {
  if (url.pathname !== '/' || !['GET', 'POST'].includes(method)) throw noRoute(`${method} ${url.pathname}`)
  const { Action, Version, ...input } = parseQuery(method === 'GET' ? url.search : decodeUtf8(body, unreadable), listOf)
  if (typeof Action !== 'string')
    throw new CloudError('MissingAction', 'The request must contain the parameter Action.')
  return { action: Action, version: typeof Version === 'string' ? Version : 'NO_VERSION_SPECIFIED', input }
}

function toObject(node: Node, listOf: ListOf): Params {
  const entries = [...node].map(([name, child]) => [name, child instanceof Map ? toValue(child, listOf) : child])
  return Object.fromEntries(entries) as Params
}

function toValue(node: Node, listOf: ListOf): Params | Params[] | string[] {
  const items = listOf(node)
  if (!items) return toObject(node, listOf)
  const ordered = [...items].sort(([a], [b]) => Number(a) - Number(b))
  return ordered.map(([, child]) => (child instanceof Map ? toObject(child, listOf) : child)) as Params[] | string[]
}

const members: ListOf = (node) => {
  const items = node.get('member')
  return items instanceof Map ? items : undefined
}

/** Serializes a value as XML elements. List items are called `item`. */
export function xml(value: unknown, item = 'member'): string {
  if (value === undefined || value === null) return ''
  if (Array.isArray(value)) return value.map((one) => `<${item}>${xml(one, item)}</${item}>`).join('')
  if (value instanceof Date) return value.toISOString()
  if (typeof value !== 'object') return escaped(String(value))
  return Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .map(([name, member]) => `<${name}>${xml(member, item)}</${name}>`)
    .join('')
}

function queryAnswer(namespace: string, operation: string, result: object, requestId: string): string {
  const metadata = `<ResponseMetadata><RequestId>${requestId}</RequestId></ResponseMetadata>`
  const inner = `<${operation}Result>${xml(result)}</${operation}Result>`
  return `<${operation}Response xmlns="${namespace}">${inner}${metadata}</${operation}Response>`
}

function queryError(error: CloudError, requestId: string): string {
  const type = error.status < 500 ? 'Sender' : 'Receiver'
  const inner = xml({ Type: type, Code: error.code, Message: error.message })
  return `<ErrorResponse><Error>${inner}</Error><RequestId>${requestId}</RequestId></ErrorResponse>`
}

export const queryErrors = commonErrors({
  unknownOperation: ['InvalidAction', 400],
  invalidToken: ['InvalidClientTokenId', 403],
  expiredToken: ['ExpiredToken', 403],
  accessDenied: ['AccessDenied', 403],
  throttled: ['Throttling', 400],
  unexpected: ['InternalFailure', 500],
  incompleteSignature: ['IncompleteSignature', 400],
  badSignature: ['SignatureDoesNotMatch', 403],
  skewed: ['SignatureDoesNotMatch', 403],
  unreadable: ['MalformedInput', 400],
  invalid: ['ValidationError', 400],
})

/** Creates the query protocol: form requests, and XML responses in the service's `namespace`. */
export function query(namespace: string): Protocol {
  const headers = { 'content-type': 'text/xml' }
  return {
    form: 'query',
    longestSkewMs: usualSkewMs,
    read(request, model) {
      const { action, version, input } = readForm(request, members, queryErrors)
      if (version !== model.version) {
        throw queryErrors.unknownOperation(`Could not find operation ${action} for version ${version}`)
      }
      return { operation: action, input }
    },
    answer: (operation, result, requestId) => ({
      status: 200,
      headers,
      body: queryAnswer(namespace, operation, result, requestId),
    }),
    error: (error, requestId) => ({ status: error.status, headers, body: queryError(error, requestId) }),
    errors: queryErrors,
  }
}
