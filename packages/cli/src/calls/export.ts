import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { type Route, routes } from '@sluice/contract'
import { CalledWrongly } from '../end-with.ts'
import { ask, type Where } from './connect.ts'
import { readFields } from './fields.ts'
import { suggestionFor } from './operation.ts'

/** What can be exported, by the word in its path. */
const exportable: ReadonlyMap<string, Route> = new Map(
  Object.values(routes)
    .filter(({ path }) => path.endsWith('/export'))
    .map((route) => [route.path.slice(1, -'/export'.length), route]),
)

/** Writes all records that match, one a line as JSON, as they come: there may be more than fit into memory. */
export async function exportRecords(what: string, words: string[], where: Where): Promise<void> {
  const route = exportable.get(what)
  if (!route) throw new CalledWrongly(`${what} cannot be exported. ${suggestionFor(what, [...exportable.keys()])}`)
  const query = new URLSearchParams()
  for (const [name, values] of readFields(words)) for (const value of values) query.append(name, String(value))
  const { body } = await ask(where, `${route.path}?${query}`)
  if (body) await pipeline(Readable.from(body), process.stdout, { end: false })
}
