import fc from 'fast-check'
import { expect, test } from 'vitest'
import { check } from './check.ts'
import { ExpressionError } from './errors.ts'
import { evaluate, parse } from './expression.ts'
import { type FunctionName, functionNames, signatureOf } from './functions.ts'
import { print } from './print.ts'
import { render } from './render.ts'
import { type BinaryOperator, type Part, precedences, reserved, type UnaryOperator } from './tree.ts'

/** A tree without its places. */
type Tree = unknown

const root = fc.stringMatching(/^[A-Za-z_]\w{0,5}$/).filter((name) => !reserved.has(name))
const anyName = fc.oneof(root, fc.constantFrom('in', 'true', 'nil', 'not', 'matches', 'constructor', '__proto__'))
const leaf = fc.oneof(
  fc
    .oneof(fc.string(), fc.double({ min: 0, noNaN: true, noDefaultInfinity: true }), fc.boolean(), fc.constant(null))
    .map((value) => ({ kind: 'literal', value })),
  root.map((name) => ({ kind: 'root', name })),
)

const tree = (inClosure: boolean, depth: number): fc.Arbitrary<Tree> => {
  const here = inClosure ? fc.oneof(leaf, fc.constant({ kind: 'element' })) : leaf
  if (depth === 0) return here
  const inside = fc.constant(null).chain(() => tree(inClosure, depth - 1))
  return fc.oneof(
    here,
    fc.array(inside, { maxLength: 3 }).map((items) => ({ kind: 'list', items })),
    fc
      .array(fc.record({ key: fc.oneof(anyName, fc.string()), value: inside }), { maxLength: 3 })
      .map((entries) => ({ kind: 'object', entries })),
    fc.record({ kind: fc.constant('member'), of: inside, name: anyName, isOptional: fc.boolean() }),
    fc.record({ kind: fc.constant('index'), of: inside, index: inside, isOptional: fc.boolean() }),
    fc.record({ kind: fc.constant('slice'), of: inside, from: inside, to: inside }, { requiredKeys: ['kind', 'of'] }),
    fc.record({ kind: fc.constant('unary'), operator: fc.constantFrom<UnaryOperator>('!', '-', '+'), operand: inside }),
    fc.record({
      kind: fc.constant('binary'),
      operator: fc.constantFrom(...(Object.keys(precedences) as BinaryOperator[])),
      left: inside,
      right: inside,
    }),
    fc.record({ kind: fc.constant('conditional'), condition: inside, yes: inside, no: inside }),
    fc.constantFrom(...functionNames).chain((name) => callOf(name, inside, depth)),
  )
}

function callOf(name: FunctionName, inside: fc.Arbitrary<Tree>, depth: number): fc.Arbitrary<Tree> {
  const { args, takesClosure } = signatureOf(name)
  const given = takesClosure
    ? fc.tuple(
        inside,
        fc.constant(null).chain(() => tree(true, depth - 1)),
      )
    : fc.array(inside, { minLength: args[0], maxLength: Math.min(args[1], 3) })
  return given.map((list) => ({ kind: 'call', name, args: list }))
}

/** The same tree without `at`, in plain objects. */
function withoutPlaces(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutPlaces)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => key !== 'at')
      .map(([key, member]) => [key, withoutPlaces(member)]),
  )
}

test('what is printed parses to the same tree', () => {
  fc.assert(
    fc.property(tree(false, 4), (made) => {
      expect(withoutPlaces(parse(print(made as Part & { at: number })))).toEqual(withoutPlaces(made))
    }),
    { numRuns: 500 },
  )
})

/** Text that is nearly of the language: its tokens in any order. */
const tokens = [
  ...[
    '<<',
    '>>',
    '(',
    ')',
    '[',
    ']',
    '{',
    '}',
    ',',
    ':',
    '.',
    '?.',
    '..',
    '?',
    '#',
    '|',
    '"',
    "'",
    '`',
    '\\',
    '/*',
    '*/',
    '//',
    '\n',
    '...',
  ],
  ...Object.keys(precedences),
  ...[...reserved, ...functionNames, 'a', 'b', 'c', 'd', '1', '2.5', '"x"', '{a: 1}', '[1, 2]'],
]
const nearly = fc.array(fc.constantFrom(...tokens), { maxLength: 30 }).map((list) => list.join(' '))
const source = fc.oneof(nearly, fc.string({ unit: 'binary' }), fc.string())
const anything = fc.anything({ withBigInt: true, withNullPrototype: true, withSparseArray: true, withDate: true })
const context = fc.record({ a: anything, b: fc.jsonValue(), c: fc.array(fc.object()), d: fc.string() })

function throwsOnlyItsOwn(work: () => unknown): void {
  try {
    work()
  } catch (error) {
    expect(error).toBeInstanceOf(ExpressionError)
  }
}

test('nothing but its own error is thrown, whatever is rendered', () => {
  fc.assert(
    fc.property(source, context, (text, roots) => {
      throwsOnlyItsOwn(() => evaluate(text, roots))
      throwsOnlyItsOwn(() => render([`<< ${text} >>`, `x ${text}`, `...<< ${text} >>`], roots))
      expect(check({ '...a': `<< ${text} >>`, b: [text] }, { a: 'any' })).toBeInstanceOf(Array)
    }),
    { numRuns: 1000 },
  )
})

test('trees that parse are worth something, or their own error', () => {
  fc.assert(
    fc.property(tree(false, 4), context, (made, roots) => {
      throwsOnlyItsOwn(() => evaluate(print(made as Part & { at: number }), roots))
    }),
    { numRuns: 500 },
  )
})

test('JSON without templates is rendered as it is', () => {
  fc.assert(
    fc.property(
      fc.jsonValue().filter((value) => !/<<|"\.\.\./.test(JSON.stringify(value))),
      (value) => {
        expect(render(value, {})).toEqual(value)
      },
    ),
  )
})

test('a reference gives the value itself', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
      expect(render('<< a.b >>', { a: { b: value } })).toEqual(value)
    }),
  )
})

test('rendering reaches nothing that is inherited', () => {
  const inherited = Object.getOwnPropertyNames(Object.prototype)
  for (const name of [...inherited, ...Object.getOwnPropertyNames(Array.prototype)]) {
    for (const way of [`a.${name}`, `a["${name}"]`, `get(a, "${name}")`, `{}.${name}`])
      expect(evaluate(way, { a: {} })).toBe(null)
    expect(() => evaluate(name, {})).toThrow(ExpressionError)
  }
})
