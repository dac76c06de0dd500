import { readFileSync } from 'node:fs'
import { CalledWrongly } from '@sluice/calls/called-wrongly'
import { SourceText } from '@sluice/server/interface/source-text/document'

/** What was said about one name, in the order it was said: a name may come again where several values are taken. */
export type Fields = Map<string, unknown[]>

const shape = /^(?<name>[\w.-]+)(?<kind>:?=)(?<value>[\s\S]*)$/

/**
 * Reads words such as `image_ref=web:2` (a text), `replicas:=3` (any JSON), `config:=@pipeline.yaml` (a file of JSON or
 * YAML) and `note=@note.txt` (a file of text).
 */
export function readFields(words: readonly string[]): Fields {
  const fields: Fields = new Map()
  for (const word of words) {
    const { name, kind, value } = shape.exec(word)?.groups ?? {}
    if (name === undefined || value === undefined) {
      throw new CalledWrongly(`${word} is not of the form name=text, name:=JSON, name=@file or name:=@file.`)
    }
    fields.set(name, [...(fields.get(name) ?? []), kind === ':=' ? dataOf(word, value) : textOf(word, value)])
  }
  return fields
}

/** As an object, in which every name stands once. */
export function objectOf(fields: Fields): Record<string, unknown> {
  for (const [name, values] of fields)
    if (values.length > 1) throw new CalledWrongly(`${name} is given more than once.`)
  return Object.fromEntries([...fields].map(([name, [value]]) => [name, value]))
}

/** The object that a file of JSON or YAML holds. */
export function documentIn(path: string): Record<string, unknown> {
  const text = fileOf(path, path)
  try {
    const value = dataIn(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value }
  } catch (cause) {
    throw new CalledWrongly(`${path}: ${(cause as Error).message.trim()}.`, { cause })
  }
  throw new CalledWrongly(`${path} holds no object.`)
}

/** Whether a word is a field and not, say, an id. */
export const isField = (word: string): boolean => shape.test(word)

const textOf = (word: string, value: string): string => (value.startsWith('@') ? fileOf(word, value.slice(1)) : value)

/** What a text of JSON or YAML says, with its aliases and merge keys resolved as in all files. */
function dataIn(text: string): unknown {
  const read = new SourceText(text).read()
  if ('config' in read) return read.config
  const [{ line, column, message } = { line: 1, column: 1, message: 'It cannot be read.' }] = read.faults
  throw new Error(`${line}:${column}: ${message.replace(/\.$/, '')}`)
}

function dataOf(word: string, value: string): unknown {
  try {
    return value.startsWith('@') ? dataIn(fileOf(word, value.slice(1))) : JSON.parse(value)
  } catch (cause) {
    if (cause instanceof UnreadableFile) throw cause
    throw new CalledWrongly(`${word}: ${(cause as Error).message.trim()}. A text goes after = instead of :=.`, {
      cause,
    })
  }
}

class UnreadableFile extends CalledWrongly {}

/** `-` is what comes in by a pipe. */
function fileOf(word: string, path: string): string {
  try {
    return readFileSync(path === '-' ? 0 : path, 'utf8')
  } catch (cause) {
    throw new UnreadableFile(`${word}: the file cannot be read (${(cause as NodeJS.ErrnoException).code}).`, { cause })
  }
}
