import { UsageError } from '@sluice/calls/usage-error'
import { type Client, type Operation, operations } from '@sluice/client'
import { type Fields, objectOf } from './fields.ts'
import { shapes } from './shapes.generated.ts'

/**
 * Calls an operation of the API. Fields go to its path or query if it has them there, and all others to `data` in the
 * body.
 */
export function callOperation(client: Client, operation: Operation, fields: Fields): Promise<unknown> {
  const call = client[operation] as (request: object) => Promise<unknown>
  return call(requestOf(operation, fields))
}

export function requestOf(operation: Operation, fields: Fields): { params: object; query: object; body?: object } {
  const { query: queryNames, takesBody } = shapes[operation]
  const pathNames = [...operations[operation][1].matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
  const missing = pathNames.filter((name) => !fields.has(name))
  if (missing.length > 0)
    throw new UsageError(`${operation} needs ${missing.map((name) => `${name}=…`).join(' and ')}.`)
  const rest = without(fields, [...pathNames, ...queryNames])
  if (!takesBody && rest.size > 0) {
    const known = [...pathNames, ...queryNames].join(', ') || 'none'
    throw new UsageError(`${operation} does not take ${[...rest.keys()].join(', ')}. What it takes: ${known}.`)
  }
  return {
    params: objectOf(only(fields, pathNames)),
    query: Object.fromEntries(only(fields, queryNames)),
    ...(takesBody && { body: { data: objectOf(rest) } }),
  }
}

const only = (fields: Fields, names: readonly string[]): Fields =>
  new Map([...fields].filter(([name]) => names.includes(name)))
const without = (fields: Fields, names: readonly string[]): Fields =>
  new Map([...fields].filter(([name]) => !names.includes(name)))

/** Returns an operation by name. Excludes streams: they never end, or have an export command of their own. */
export function operationNamed(name: string): Operation {
  const callable = allOperations.filter((one) => !shapes[one].isStream)
  const found = callable.find((one) => one === name)
  if (found === undefined) throw new UsageError(`There is no operation ${name}. ${suggestionFor(name, callable)}`)
  return found
}

const allOperations = Object.keys(operations) as Operation[]

/** List and get operations by the path segment of their resource, such as `deployments`. */
export const readOperations: ReadonlyMap<string, { list: Operation; get?: Operation }> = new Map(
  allOperations
    .map((list) => ({ list, method: operations[list][0], path: operations[list][1] }))
    .filter(({ list, method }) => method === 'GET' && shapes[list].query.includes('limit'))
    .filter(({ path }) => /^\/[\w-]+$/.test(path))
    .map(({ path, list }) => {
      const one = allOperations.find((name) => operations[name][0] === 'GET' && operations[name][1] === `${path}/{id}`)
      return [path.slice(1), { list, ...(one && { get: one }) }]
    }),
)

/** Suggests the names that share the most words with the unknown one. */
export function suggestionFor(wrong: string, names: readonly string[]): string {
  const words = wrong.split(/(?=[A-Z])|[^A-Za-z]+/).filter((word) => word.length > 2)
  const hits = (name: string) =>
    words.filter((word) => name.toLowerCase().includes(word.toLowerCase().replace(/s$/, ''))).length
  const most = Math.max(1, ...names.map(hits))
  const likely = names.filter((name) => hits(name) === most)
  return likely.length > 0 ? `Was one of these meant: ${likely.join(', ')}?` : `There are: ${names.join(', ')}.`
}
