import fc from 'fast-check'
import { type FunctionName, functionNames, signatureOf } from './functions.ts'
import { print } from './print.ts'
import { type BinaryOperator, type Expression, precedences, reserved, type UnaryOperator } from './tree.ts'

/** Expression tree without offsets. */
export type Tree = unknown

const root = fc.stringMatching(/^[A-Za-z_]\w{0,5}$/).filter((name) => !reserved.has(name))
const anyName = fc.oneof(root, fc.constantFrom('in', 'true', 'nil', 'not', 'matches', 'constructor', '__proto__'))
const leaf = fc.oneof(
  fc
    .oneof(fc.string(), fc.double({ min: 0, noNaN: true, noDefaultInfinity: true }), fc.boolean(), fc.constant(null))
    .map((value) => ({ kind: 'literal', value })),
  fc.oneof(fc.constantFrom('a', 'b', 'c', 'd'), root).map((name) => ({ kind: 'root', name })),
)

const treeOf = (inClosure: boolean, depth: number): fc.Arbitrary<Tree> => {
  const here = inClosure ? fc.oneof(leaf, fc.constant({ kind: 'element' })) : leaf
  if (depth === 0) return here
  const inside = fc.constant(null).chain(() => treeOf(inClosure, depth - 1))
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
        fc.constant(null).chain(() => treeOf(true, depth - 1)),
      )
    : fc.array(inside, { minLength: args[0], maxLength: Math.min(args[1], 3) })
  return given.map((list) => ({ kind: 'call', name, args: list }))
}

/** Generates any tree that can be printed. */
export const tree = treeOf(false, 4)

/** Prints a generated tree. */
export const written = (made: Tree): string => print(made as Expression)

/** Generates text that resembles an expression: valid tokens in any order. */
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
/** Generates any text between `<<` and `>>`. */
export const source = fc.oneof(nearly, tree.map(written), fc.string({ unit: 'binary' }), fc.string())
const anything = fc.anything({ withBigInt: true, withNullPrototype: true, withSparseArray: true, withDate: true })
/** Generates variables for an expression, with arbitrary values. */
export const context = fc.record({ a: anything, b: fc.jsonValue(), c: fc.array(fc.object()), d: fc.string() })
