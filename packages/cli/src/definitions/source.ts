import { SourceText } from '@sluice/server/interface/source-text/document'
import type { FileProblem } from '@sluice/server/interface/source-text/fault'
import { decodeText, limitErrorOf, unreadable } from '@sluice/server/interface/source-text/text'
import { storageFaultsOf } from '@sluice/server/platform/http/faults'
import type { Remark } from './defined.ts'

/** Parsed file with the positions of its parts. */
export type Source = {
  file: string
  value: unknown
  placed(remark: Remark): FileProblem
  faultAt(line: string): FileProblem
}

/** Parses a JSON or YAML file. Its limits bound the time for any content. */
export function readSource(file: string, bytes: Buffer): Source | { faults: FileProblem[] } {
  const tooMuch = limitErrorOf(bytes)
  if (tooMuch) return { faults: [{ file, ...tooMuch }] }
  const text = decodeText(bytes)
  const source = new SourceText(withQuotes(text))
  const unread = unreadable(bytes, text, source)
  if (unread) return { faults: [{ file, ...unread }] }
  const read = source.read()
  if ('faults' in read) return { faults: read.faults.map((fault) => ({ file, ...fault })) }
  const faultAt = (line: string): FileProblem => ({ file, ...source.placed('not-importable', line) })
  const value: unknown = read.config
  const unkept = storageFaultsOf(value)
  if (unkept.length > 0) return { faults: unkept.map(faultAt) }
  return { file, value, faultAt, placed: ({ path, why }) => ({ file, ...source.placed('', `${path}: ${why}`) }) }
}

/** Quotes unquoted ecspresso templates: `cluster: {{ must_env `CLUSTER` }}` is a valid name only after rendering. */
const withQuotes = (text: string): string =>
  text.replaceAll(/"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|(?=\{\{)(?<=[:,[-]\s*)\{\{.{0,500}?\}\}[^\s,\]}#"']*/g, (part) =>
    part.startsWith('{{') ? `'${part.replaceAll("'", "''")}'` : part,
  )
