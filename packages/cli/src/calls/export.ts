import { pipeline } from 'node:stream/promises'
import { escapeControlCharactersInJson } from '@sluice/calls/control-characters'
import { UsageError } from '@sluice/calls/usage-error'
import { type Operation, openStream } from '@sluice/client'
import { routes } from '@sluice/contract'
import { connectionTo, type UrlOption } from './connect.ts'
import { readFields } from './fields.ts'
import { suggestionFor } from './operation.ts'

/** Exportable resources, by the name in their path. */
const exportable: ReadonlyMap<string, Operation> = new Map(
  Object.values(routes)
    .filter(({ path }) => path.endsWith('/export'))
    .map(({ path, operationId }) => [path.slice(1, -'/export'.length), operationId]),
)

/** Writes all matching records as JSON lines, streamed because they may exceed memory. */
export async function exportRecords(what: string, words: string[], where: UrlOption): Promise<void> {
  const operation = exportable.get(what)
  if (!operation) throw new UsageError(`${what} cannot be exported. ${suggestionFor(what, [...exportable.keys()])}`)
  const query = Object.fromEntries(readFields(words))
  const lines = await openStream(connectionTo(where), operation, { query })
  const harmlessLines = async function* (texts: AsyncIterable<string>) {
    for await (const text of texts) yield escapeControlCharactersInJson(text)
  }
  await pipeline(lines.pipeThrough(new TextDecoderStream()), harmlessLines, process.stdout, { end: false })
}
