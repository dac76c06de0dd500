import { concatenate, countSearchCost, requireFinite } from './operators.ts'
import type { EvaluationState } from './run.ts'
import { isObject, isTrue, type Json, kindOf, memberOf, textOf } from './values.ts'

/** Evaluates the closure for one element. */
export type Closure = (element: unknown) => unknown

type Signature = {
  /** Signature for messages and the reference. */
  usage: string
  /** Description of the result for the reference. */
  what: string
  args: [least: number, most: number]
  /** Whether the second argument is a closure: an expression that is evaluated for each element. */
  takesClosure?: true
}

/** All functions. Any other name is an error of the template. */
export const signatures = {
  all: {
    usage: 'all(list, closure)',
    what: 'Whether the closure is true for every element',
    args: [2, 2],
    takesClosure: true,
  },
  any: {
    usage: 'any(list, closure)',
    what: 'Whether the closure is true for at least one element',
    args: [2, 2],
    takesClosure: true,
  },
  concat: { usage: 'concat(list, …)', what: 'One list with all elements', args: [1, 100] },
  filter: {
    usage: 'filter(list, closure)',
    what: 'The elements for which the closure is true',
    args: [2, 2],
    takesClosure: true,
  },
  find: {
    usage: 'find(list, closure)',
    what: 'The first element for which the closure is true, or nil',
    args: [2, 2],
    takesClosure: true,
  },
  first: { usage: 'first(list)', what: 'The first element, or nil', args: [1, 1] },
  float: { usage: 'float(number or text)', what: 'The value as a number', args: [1, 1] },
  fromJSON: { usage: 'fromJSON(text)', what: 'The value that a JSON text describes', args: [1, 1] },
  fromPairs: {
    usage: 'fromPairs(list of [key, value])',
    what: 'An object from `[key, value]` pairs; the last of equal keys wins',
    args: [1, 1],
  },
  get: { usage: 'get(object or list, key)', what: 'The member or element, or nil if there is none', args: [2, 2] },
  int: {
    usage: 'int(number or text)',
    what: 'The number without its fraction; a text must contain a whole number',
    args: [1, 1],
  },
  join: { usage: 'join(list of texts, between?)', what: 'The texts as one, with `between` in between', args: [1, 2] },
  keys: { usage: 'keys(object)', what: 'The keys in order', args: [1, 1] },
  last: { usage: 'last(list)', what: 'The last element, or nil', args: [1, 1] },
  len: {
    usage: 'len(list, object, text or nil)',
    what: 'The number of elements, entries or characters; of nil, 0',
    args: [1, 1],
  },
  lower: { usage: 'lower(text)', what: 'The text in lower case', args: [1, 1] },
  map: {
    usage: 'map(list, closure)',
    what: 'The results of the closure for each element',
    args: [2, 2],
    takesClosure: true,
  },
  merge: {
    usage: 'merge(object, …)',
    what: 'One object with all entries; later ones win, and nil is ignored',
    args: [1, 100],
  },
  replace: { usage: 'replace(text, old, new)', what: 'The text with each `old` replaced', args: [3, 3] },
  split: {
    usage: 'split(text, at, most?)',
    what: 'The parts between the separators; with `most`, at most that many parts, the last with the rest',
    args: [2, 3],
  },
  string: { usage: 'string(value)', what: 'The value as in a text; nil is an error', args: [1, 1] },
  toJSON: { usage: 'toJSON(value)', what: 'The value as JSON, indented by two spaces', args: [1, 1] },
  toPairs: { usage: 'toPairs(object)', what: 'The entries as `[key, value]`', args: [1, 1] },
  trim: {
    usage: 'trim(text, letters?)',
    what: 'The text without white space, or these characters, at both ends',
    args: [1, 2],
  },
  upper: { usage: 'upper(text)', what: 'The text in upper case', args: [1, 1] },
  values: { usage: 'values(object)', what: 'The values in order', args: [1, 1] },
} as const satisfies Record<string, Signature>

export type FunctionName = keyof typeof signatures
export type ClosureFunction = {
  [K in FunctionName]: (typeof signatures)[K] extends { takesClosure: true } ? K : never
}[FunctionName]

export const functionNames = Object.keys(signatures) as FunctionName[]
export const isFunction = (name: string): name is FunctionName => Object.hasOwn(signatures, name)
export const signatureOf = (name: FunctionName): Signature => signatures[name]

/** Calls a function with a closure, such as `map`. */
export function callWithClosure(
  run: EvaluationState,
  name: ClosureFunction,
  value: unknown,
  closure: Closure,
): unknown {
  const list = listOf(run, name, value)
  switch (name) {
    case 'map':
      run.build(8 * list.length)
      return list.map((element) => closure(element))
    case 'filter':
      run.build(8 * list.length)
      return list.filter((element) => isTrue(closure(element)))
    case 'find':
      return list.find((element) => isTrue(closure(element))) ?? null
    case 'any':
      return list.some((element) => isTrue(closure(element)))
    case 'all':
      return list.every((element) => isTrue(closure(element)))
  }
}

/** Calls any other function. The number of `args` has been validated. */
export function call(run: EvaluationState, name: Exclude<FunctionName, ClosureFunction>, args: unknown[]): unknown {
  const [value, second, third] = args
  switch (name) {
    case 'len':
      return measureLength(run, value)
    case 'int':
      return intOf(run, value)
    case 'float':
      return floatOf(run, value)
    case 'string':
      return kindOf(value) === 'nil' ? run.fail('string(nil) is not defined') : textOf(run, value)
    case 'concat':
      return concatenate(
        run,
        args.map((list) => listOf(run, name, list)),
      )
    case 'first':
      return listOf(run, name, value)[0] ?? null
    case 'last':
      return listOf(run, name, value).at(-1) ?? null
    case 'get':
      return get(run, value, second)
    case 'keys':
      return entriesOf(run, name, value).map(([key]) => key)
    case 'values':
      return entriesOf(run, name, value).map(([, member]) => member)
    case 'toPairs':
      return entriesOf(run, name, value)
    case 'fromPairs':
      return fromPairs(run, value)
    case 'merge':
      return merge(run, args)
    case 'join':
      return join(run, value, second ?? '')
    case 'split':
      return split(run, textFor(run, name, value), textFor(run, name, second), third)
    case 'replace':
      return replace(run, textFor(run, name, value), textFor(run, name, second), textFor(run, name, third))
    case 'trim':
      return trim(run, textFor(run, name, value), second)
    case 'upper':
      return built(run, textFor(run, name, value)).toUpperCase()
    case 'lower':
      return built(run, textFor(run, name, value)).toLowerCase()
    case 'toJSON':
      return toJson(run, value)
    case 'fromJSON':
      return fromJson(run, textFor(run, name, value))
  }
}

const listOf = (run: EvaluationState, name: string, value: unknown): unknown[] =>
  Array.isArray(value) ? value : run.fail(`${name} takes a list, not ${kindOf(value)}`)

const objectOf = (run: EvaluationState, name: string, value: unknown): Json =>
  isObject(value) ? value : run.fail(`${name} takes an object, not ${kindOf(value)}`)

const textFor = (run: EvaluationState, name: string, value: unknown): string =>
  typeof value === 'string' ? value : run.fail(`${name} takes a text, not ${kindOf(value)}`)

function built(run: EvaluationState, text: string): string {
  run.build(text.length)
  return text
}

function entriesOf(run: EvaluationState, name: string, value: unknown): [string, unknown][] {
  const entries = Object.entries(objectOf(run, name, value))
  run.build(16 * entries.length)
  return entries
}

/** Returns the length of a list, or the number of code points of a text. */
function measureLength(run: EvaluationState, value: unknown): number {
  if (kindOf(value) === 'nil') return 0
  if (Array.isArray(value)) return value.length
  if (isObject(value)) return Object.keys(value).length
  if (typeof value !== 'string') return run.fail(`len takes a list, an object, a text or nil, not ${kindOf(value)}`)
  run.read(value.length)
  let length = 0
  for (const _ of value) length += 1
  return length
}

function intOf(run: EvaluationState, value: unknown): number {
  if (typeof value === 'number') return requireFinite(run, Math.trunc(value))
  const isInteger = typeof value === 'string' && /^[+-]?\d{1,16}$/.test(value) && Number.isSafeInteger(Number(value))
  if (isInteger) return Number(value)
  return run.fail(`int takes a number or the text of a whole one, not ${formatValue(run, value)}`)
}

function floatOf(run: EvaluationState, value: unknown): number {
  if (typeof value === 'number') return value
  const isDecimal = typeof value === 'string' && /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/.test(value)
  if (isDecimal) return requireFinite(run, Number(value))
  return run.fail(`float takes a number or the text of one, not ${formatValue(run, value)}`)
}

const shownLetters = 40

/** Formats a value for a message to users. */
function formatValue(run: EvaluationState, value: unknown): string {
  if (typeof value !== 'string' || run.isSensitive) return kindOf(value)
  return JSON.stringify(value.length > shownLetters ? `${value.slice(0, shownLetters)}…` : value)
}

function get(run: EvaluationState, value: unknown, key: unknown): unknown {
  if (kindOf(value) === 'nil') return null
  if (isObject(value)) return typeof key === 'string' ? memberOf(value, key) : null
  const list = listOf(run, 'get', value)
  return Number.isInteger(key) ? (list.at(key as number) ?? null) : null
}

function fromPairs(run: EvaluationState, value: unknown): Json {
  // Not `map`, which would keep holes of sparse lists.
  const pairs = Array.from(listOf(run, 'fromPairs', value), (pair): [string, unknown] => {
    if (!Array.isArray(pair) || pair.length !== 2 || typeof pair[0] !== 'string') {
      return run.fail('fromPairs takes a list of [key, value], where each key is a text')
    }
    return [pair[0], pair[1]]
  })
  run.build(16 * pairs.length)
  return Object.fromEntries(pairs)
}

/** Merges objects; the later wins. Nil is ignored, as in an object spread. */
function merge(run: EvaluationState, objects: unknown[]): Json {
  const given = objects.filter((object) => kindOf(object) !== 'nil')
  return Object.fromEntries(given.flatMap((object) => entriesOf(run, 'merge', object)))
}

function join(run: EvaluationState, value: unknown, between: unknown): string {
  const texts = listOf(run, 'join', value).map((item) => textFor(run, 'join', item))
  const separator = textFor(run, 'join', between)
  run.build(texts.reduce((sum, text) => sum + text.length + separator.length, 0))
  return texts.join(separator)
}

function split(run: EvaluationState, text: string, at: string, maxParts: unknown): string[] {
  if (maxParts !== undefined && !Number.isSafeInteger(maxParts))
    return run.fail('split takes a whole number of parts at most')
  countSearchCost(run, text, at)
  run.build(2 * text.length)
  const parts = text.split(at)
  if (maxParts === undefined || (maxParts as number) < 0 || parts.length <= (maxParts as number))
    return charged(run, parts)
  if (maxParts === 0) return []
  const last = (maxParts as number) - 1
  return charged(run, [...parts.slice(0, last), parts.slice(last).join(at)])
}

function charged(run: EvaluationState, parts: string[]): string[] {
  run.build(8 * parts.length)
  return parts
}

function replace(run: EvaluationState, text: string, old: string, by: string): string {
  countSearchCost(run, text, old)
  const parts = text.split(old)
  run.build(text.length + parts.length * (8 + by.length))
  return parts.join(by)
}

function trim(run: EvaluationState, text: string, letters: unknown): string {
  run.build(text.length)
  if (letters === undefined) return text.trim()
  const unwanted = new Set(textFor(run, 'trim', letters))
  const all = [...text]
  const from = all.findIndex((letter) => !unwanted.has(letter))
  return from === -1 ? '' : all.slice(from, all.findLastIndex((letter) => !unwanted.has(letter)) + 1).join('')
}

/** Serializes a value as JSON, indented by two spaces like the public language. */
function toJson(run: EvaluationState, value: unknown): string {
  run.write(value)
  const text = JSON.stringify(value ?? null, null, 2)
  run.build(text.length)
  return text
}

function fromJson(run: EvaluationState, text: string): unknown {
  run.build(8 * text.length)
  try {
    return JSON.parse(text)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    return run.fail(run.isSensitive ? 'this text is not valid JSON' : `this text is not valid JSON: ${error.message}`)
  }
}
