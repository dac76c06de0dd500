import { readFileSync } from 'node:fs'
import { UsageError } from '@sluice/calls/usage-error'
import { SourceText } from '@sluice/server/interface/source-text/document'

/** Values by field name, in order. A name can be repeated if several values are allowed. */
export type Fields = Map<string, unknown[]>

const shape = /^(?<name>[\w.-]+)(?<kind>:?=)(?<value>[\s\S]*)$/

/**
 * Parses words such as `image_ref=web:2` (text), `replicas:=3` (JSON), `config:=@pipeline.yaml` (a JSON or YAML file)
 * and `note=@note.txt` (a text file).
 */
export function readFields(words: readonly string[]): Fields {
  const fields: Fields = new Map()
  for (const word of words) {
    const { name, kind, value } = shape.exec(word)?.groups ?? {}
    if (name === undefined || value === undefined) {
      throw new UsageError(`${word} is not of the form name=text, name:=JSON, name=@file or name:=@file.`)
    }
    fields.set(name, [...(fields.get(name) ?? []), kind === ':=' ? dataOf(word, value) : textOf(word, value)])
  }
  return fields
}

/** Returns the fields as an object. Throws if a name is repeated. */
export function objectOf(fields: Fields): Record<string, unknown> {
  for (const [name, values] of fields) if (values.length > 1) throw new UsageError(`${name} is given more than once.`)
  return Object.fromEntries([...fields].map(([name, [value]]) => [name, value]))
}

/** Returns the object in a JSON or YAML file. */
export function documentIn(path: string): Record<string, unknown> {
  const text = fileOf(path, path)
  try {
    const value = dataIn(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value }
  } catch (cause) {
    throw new UsageError(`${path}: ${(cause as Error).message.trim()}.`, { cause })
  }
  throw new UsageError(`${path} holds no object.`)
}

/** Reports whether a word is a field rather than, for example, an id. */
export const isField = (word: string): boolean => shape.test(word)

const textOf = (word: string, value: string): string => (value.startsWith('@') ? fileOf(word, value.slice(1)) : value)

/** Parses JSON or YAML, resolving aliases and merge keys. */
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
    throw new UsageError(`${word}: ${(cause as Error).message.trim()}. A text goes after = instead of :=.`, {
      cause,
    })
  }
}

class UnreadableFile extends UsageError {}

/** Reads a file; `-` is standard input. */
function fileOf(word: string, path: string): string {
  try {
    return readFileSync(path === '-' ? 0 : path, 'utf8')
  } catch (cause) {
    throw new UnreadableFile(`${word}: the file cannot be read (${(cause as NodeJS.ErrnoException).code}).`, { cause })
  }
}
