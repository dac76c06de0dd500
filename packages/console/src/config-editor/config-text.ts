import { type Document, isMap, isNode, isScalar, isSeq, Lexer, type Node, parseDocument, stringify } from 'yaml'
import { yamlOptions } from './yaml-options.ts'

export type Config = Record<string, unknown>

/** What is wrong, and where in the text: offsets of its first character and of the one after its last. */
export type Fault = { from: number; to: number; message: string }

export type Read = { config: Config; faults: readonly [] } | { config?: never; faults: readonly Fault[] }

/** The parts of a configuration as people write them: what it is given comes before what it does. */
const order = ['readme', 'inputs', 'triggers', 'concurrency', 'steps', 'stack', 'build', 'deploy', 'ui']

/** A configuration as people write it: YAML, of which JSON is a part. */
export function textOf(config: Config): string {
  const first = order.filter((name) => name in config).map((name) => [name, config[name]])
  return stringify({ ...Object.fromEntries(first), ...config }, { lineWidth: 110 })
}

/** Uses of aliases within what aliases stand for. The service counts the values that they come to. */
const maxAliasCount = 10_000

/** The configuration that a text says, or why it says none. */
export function readConfig(text: string): Read {
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
    // An alias of nothing, a merge of something else than a mapping, or aliases that come to too much.
    return { faults: [{ ...placed(text, 0, text.length), message: error instanceof Error ? error.message : '' }] }
  }
}

/** Whether a text has comments. A number sign within a value, such as a script, begins none. */
export const hasComments = (text: string): boolean => {
  for (const token of new Lexer().lex(text)) if (token.startsWith('#')) return true
  return false
}

/** What the service found, at its place in the text; what is missing altogether stands where it would be. */
export function placeFaults(text: string, found: readonly string[]): Fault[] {
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

/** The place of what the steps lead to, or of the nearest thing on the way that is there. */
function rangeOf(document: Document, steps: (string | number)[]): [number, number] {
  let at: unknown = document.contents
  let range = ownRange(at, 0)
  for (const step of steps) {
    const pair = isMap(at) ? at.items.find(({ key }) => isScalar(key) && String(key.value) === String(step)) : undefined
    at = isSeq(at) ? at.items[Number(step)] : pair?.value
    // A long value is named by its key.
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

/** On one line, and at least one character wide, so that it can be seen. */
function placed(text: string, from: number, to: number): { from: number; to: number } {
  const start = Math.max(0, Math.min(from, text.length - 1))
  const end = text.indexOf('\n', start)
  return { from: start, to: Math.max(start + 1, Math.min(to, end === -1 ? text.length : end)) }
}

const isConfig = (value: unknown): value is Config =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
