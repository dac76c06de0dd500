import { CalledWrongly } from '@sluice/calls/called-wrongly'
import { type Client, type Operation, operations } from '@sluice/client'
import { type Fields, objectOf } from './fields.ts'
import { shapes } from './shapes.generated.ts'

/**
 * Calls any operation of the interface: a field that is in its path goes there, one that its query knows goes there,
 * and all others are the `data` of its body.
 */
export function callOperation(client: Client, operation: Operation, fields: Fields): Promise<unknown> {
  const call = client[operation] as (request: object) => Promise<unknown>
  return call(requestOf(operation, fields))
}

/** What the operation is asked with. */
export function requestOf(operation: Operation, fields: Fields): { params: object; query: object; body?: object } {
  const { query: queryNames, takesBody } = shapes[operation]
  const pathNames = [...operations[operation][1].matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
  const missing = pathNames.filter((name) => !fields.has(name))
  if (missing.length > 0)
    throw new CalledWrongly(`${operation} needs ${missing.map((name) => `${name}=…`).join(' and ')}.`)
  const rest = without(fields, [...pathNames, ...queryNames])
  if (!takesBody && rest.size > 0) {
    const known = [...pathNames, ...queryNames].join(', ') || 'none'
    throw new CalledWrongly(`${operation} does not take ${[...rest.keys()].join(', ')}. What it takes: ${known}.`)
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

/** An operation by its name, unless it is a stream: that does not end, or is exported. */
export function operationNamed(name: string): Operation {
  const callable = allOperations.filter((one) => !shapes[one].isStream)
  const found = callable.find((one) => one === name)
  if (found === undefined) throw new CalledWrongly(`There is no operation ${name}. ${suggestionFor(name, callable)}`)
  return found
}

const allOperations = Object.keys(operations) as Operation[]

/** The operations that read one kind of record, by the word in their path: `deployments`. */
export const readable: ReadonlyMap<string, { list: Operation; get?: Operation }> = new Map(
  allOperations
    .map((list) => ({ list, method: operations[list][0], path: operations[list][1] }))
    .filter(({ list, method }) => method === 'GET' && shapes[list].query.includes('limit'))
    .filter(({ path }) => /^\/[\w-]+$/.test(path))
    .map(({ path, list }) => {
      const one = allOperations.find((name) => operations[name][0] === 'GET' && operations[name][1] === `${path}/{id}`)
      return [path.slice(1), { list, ...(one && { get: one }) }]
    }),
)

/** The names that have the most words of the wrong one in them; all of them are too many to read. */
export function suggestionFor(wrong: string, names: readonly string[]): string {
  const words = wrong.split(/(?=[A-Z])|[^A-Za-z]+/).filter((word) => word.length > 2)
  const hits = (name: string) =>
    words.filter((word) => name.toLowerCase().includes(word.toLowerCase().replace(/s$/, ''))).length
  const most = Math.max(1, ...names.map(hits))
  const likely = names.filter((name) => hits(name) === most)
  return likely.length > 0 ? `Was one of these meant: ${likely.join(', ')}?` : `There are: ${names.join(', ')}.`
}
