import { SourceText } from '@sluice/server/interface/source-text/document'
import type { Fault } from '@sluice/server/interface/source-text/fault'
import { excessOf, textOf, unreadable } from '@sluice/server/interface/source-text/text'
import { storageFaultsOf } from '@sluice/server/platform/http/faults'
import { mostValues } from '@sluice/server/platform/http/value-count'
import { parseDocument } from 'yaml'
import type { Remark } from './defined.ts'

/** A file that was read, and where its parts stand in it. */
export type Source = { file: string; value: unknown; placed(remark: Remark): Fault; faultAt(line: string): Fault }

/** Merge keys, which Compose files have, and lists are often used more than once. */
const options = { logLevel: 'error', prettyErrors: false, uniqueKeys: false, merge: true } as const

/** Reads a file of JSON or YAML: of any size and content, in a time that goes by what a config may be. */
export function readSource(file: string, bytes: Buffer): Source | { faults: Fault[] } {
  const tooMuch = excessOf(bytes)
  if (tooMuch) return { faults: [{ file, ...tooMuch }] }
  const text = textOf(bytes)
  const source = new SourceText(text, parseDocument(text, options))
  const unread = unreadable(bytes, text, source)
  if (unread) return { faults: [{ file, ...unread }] }
  const read = source.read()
  if ('faults' in read) return { faults: read.faults.map((fault) => ({ file, ...fault })) }
  const faultAt = (line: string): Fault => ({ file, ...source.placed('not-importable', line) })
  const value: unknown = read.config
  if (hasMoreValues(value, mostValues)) return { faults: [faultAt(`$: it comes to more than ${mostValues} values`)] }
  const unkept = storageFaultsOf(value)
  if (unkept.length > 0) return { faults: unkept.map(faultAt) }
  return { file, value, faultAt, placed: ({ path, why }) => ({ file, ...source.placed('', `${path}: ${why}`) }) }
}

/** Aliases stand for the same value many times, which each reader of it would go through anew. */
function hasMoreValues(value: unknown, most: number): boolean {
  const open = [value]
  for (let count = 0; open.length > 0; count += 1) {
    if (count + open.length > most) return true
    const next = open.pop()
    if (typeof next === 'object' && next !== null) open.push(...Object.values(next).slice(0, most + 1))
  }
  return false
}
