import { CloudError } from '../errors.ts'
import type { HttpRequest } from './protocol.ts'

/** Conditions under which a request addresses an operation. */
export interface Route {
  operation: string
  /**
   * Method, path and query, such as `PUT /{Bucket}/{Key+}?tagging`. A label matches one path segment, `{Key+}` the
   * rest.
   */
  http: string
  requiredQuery?: readonly string[]
  optionalQuery?: readonly string[]
  requiredHeaders?: readonly string[]
}

interface Match {
  operation: string
  /** Decoded labels of the path. */
  labels: Record<string, string>
}

export type Router = (request: Pick<HttpRequest, 'method' | 'url' | 'headers'>) => Match | undefined

/**
 * Creates a router that selects the most specific matching operation by method, path, query and headers. A query name
 * that distinguishes operations must belong to the operation: otherwise, `DELETE /bucket/key?annotation` would delete
 * the object. Missing members do not prevent a match if no other route fits, so that the service can report them.
 */
export function createRouter(routes: readonly Route[]): Router {
  const compiled = routes.map(compileRoute)
  const flagNames = new Set(compiled.flatMap(({ flags }) => flags.map(([name]) => name)))
  const requiredNames = new Map<string, Set<string>>()
  for (const { template, requiredQuery } of compiled) {
    const names = requiredNames.get(template) ?? new Set()
    requiredNames.set(template, names)
    for (const name of requiredQuery) names.add(name)
  }
  return ({ method, url, headers }) => {
    const names = [...url.searchParams.keys()]
    const isForeign = ({ template, ownNames }: CompiledRoute, name: string) =>
      !ownNames.has(name) && (flagNames.has(name) || requiredNames.get(template)?.has(name) === true)
    const missing = ({ requiredQuery, requiredHeaders }: CompiledRoute) =>
      requiredQuery.filter((name) => !url.searchParams.has(name)).length +
      requiredHeaders.filter((name) => headers[name] === undefined).length
    const [best] = compiled
      .filter((route) => route.method === method && route.path.test(url.pathname))
      .filter(({ flags }) => flags.every(([name, value]) => hasFlag(url, name, value)))
      .filter((route) => !names.some((name) => isForeign(route, name)))
      .sort((one, other) => missing(one) - missing(other) || other.weight - one.weight)
    if (!best) return undefined
    return { operation: best.operation, labels: decodeLabels(best.path.exec(url.pathname)?.groups ?? {}) }
  }
}

const hasFlag = ({ searchParams }: URL, name: string, value: string | undefined): boolean =>
  value === undefined ? searchParams.has(name) : searchParams.get(name) === value

type CompiledRoute = ReturnType<typeof compileRoute>

function compileRoute({ operation, http, requiredQuery = [], optionalQuery = [], requiredHeaders = [] }: Route) {
  const [method = '', address = ''] = http.split(' ')
  const [template = '', query = ''] = address.split('?')
  const pattern = template
    .replace(/(.)\/$/, '$1')
    .replaceAll(/\{(\w+)(\+?)\}/g, (_label, name, greedy) => `(?<${name}>${greedy ? '.+' : '[^/]+'})`)
  const flags = query === '' ? [] : query.split('&').map((flag) => flag.split('=') as [name: string, value?: string])
  return {
    operation,
    method,
    template,
    path: new RegExp(`^${pattern}/?$`, 's'),
    flags,
    requiredQuery,
    requiredHeaders: requiredHeaders.map((name) => name.toLowerCase()),
    ownNames: new Set([...flags.map(([name]) => name), ...requiredQuery, ...optionalQuery]),
    /** A literal path is more specific than a label, and each required name adds specificity. */
    weight:
      template.replaceAll(/\{\w+\+?\}/g, '').length * 100 +
      flags.length +
      requiredQuery.length +
      requiredHeaders.length,
  }
}

const decodeLabels = (labels: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(labels).map(([name, text]) => [name, decodeUri(text)]))

function decodeUri(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw new CloudError('InvalidURI', "Couldn't parse the specified URI.")
  }
}
