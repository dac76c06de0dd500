import { type Document, isMap, isNode, isScalar, isSeq, Lexer, type Node, parseDocument, stringify } from 'yaml'
import { yamlOptions } from './yaml-options.ts'

export type Config = Record<string, unknown>

/** A problem and its range in the text: start offset, and end offset (exclusive). */
export type Problem = { from: number; to: number; message: string }

export type ParsedConfig = { config: Config; faults: readonly [] } | { config?: never; faults: readonly Problem[] }

/** Usual order of keys: inputs before steps. */
const keyOrder = ['readme', 'inputs', 'triggers', 'concurrency', 'steps', 'stack', 'build', 'deploy', 'ui']

/** Formats a configuration as YAML, which includes JSON. */
export function formatConfig(config: Config): string {
  const first = keyOrder.filter((name) => name in config).map((name) => [name, config[name]])
  return stringify({ ...Object.fromEntries(first), ...config }, { lineWidth: 110 })
}

/** Maximum number of nested aliases. The server limits the number of resulting values. */
const maxAliasCount = 10_000

/** Parses a configuration and returns it, or its problems. */
export function parseConfig(text: string): ParsedConfig {
  const document = parseDocument(text, yamlOptions)
  const faults = document.errors.map(({ pos: [from, to], message }) => ({
    ...placed(text, from, to),
    message: message.split(' at line')[0] ?? message,
  }))
  if (faults.length > 0) return { faults }
  try {
    const config: unknown = document.toJS({ maxAliasCount })
    if (isConfig(config)) return { config, faults: [] }
    return { faults: [{ ...placed(text, 0, text.length), message: 'A configuration must be a mapping.' }] }
  } catch (error) {
    // Unresolved aliases, merges of non-mappings, or too many aliased values.
    return { faults: [{ ...placed(text, 0, text.length), message: error instanceof Error ? error.message : '' }] }
  }
}

/** Returns whether a text has comments. A number sign inside a value, such as a script, doesn't count. */
export const hasComments = (text: string): boolean => {
  for (const token of new Lexer().lex(text)) if (token.startsWith('#')) return true
  return false
}

/** Locates problems that the server reported. Missing values are shown at their parent. */
export function locateProblems(text: string, found: readonly string[]): Problem[] {
  const document = parseDocument(text, yamlOptions)
  return found.map((line) => {
    const [, path = '', message = line] =
      /^\$\.data\.config((?:\.[^.:[\]\s]+|\[\d+\]|\["[^"]*"\])*):?\s([\s\S]*)$/.exec(line) ?? []
    return { ...placed(text, ...rangeOf(document, stepsOf(path))), message }
  })
}

const stepsOf = (path: string): (string | number)[] =>
  [...path.matchAll(/\.([^.[\]]+)|\[(\d+)\]|\["([^"]*)"\]/g)].map(([, name, index, quoted]) =>
    index === undefined ? (name ?? quoted ?? '') : Number(index),
  )

/** Returns the range of a path, or of its nearest existing parent. */
function rangeOf(document: Document, steps: (string | number)[]): [number, number] {
  let at: unknown = document.contents
  let range = ownRange(at, 0)
  for (const step of steps) {
    const pair = isMap(at) ? at.items.find(({ key }) => isScalar(key) && String(key.value) === String(step)) : undefined
    at = isSeq(at) ? at.items[Number(step)] : pair?.value
    // A long value is marked at its key.
    if (pair && isNode(pair.key)) range = ownRange(pair.key, range[0])
    else if (isNode(at)) range = ownRange(at, range[0])
    else break
    if (isScalar(at) && steps.at(-1) === step) range = ownRange(at, range[0])
  }
  return range
}

const ownRange = (node: unknown, otherwise: number): [number, number] => {
  const range = isNode(node) ? (node as Node).range : undefined
  return range ? [range[0], range[1]] : [otherwise, otherwise]
}

/** Limits a range to one line and at least one character, so that it is visible. */
function placed(text: string, from: number, to: number): { from: number; to: number } {
  const start = Math.max(0, Math.min(from, text.length - 1))
  const end = text.indexOf('\n', start)
  return { from: start, to: Math.max(start + 1, Math.min(to, end === -1 ? text.length : end)) }
}

const isConfig = (value: unknown): value is Config =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
