import { expect, test } from 'vitest'
import { everyCase } from '../../../../../testing/every-case.ts'
import type { InputDefinition } from '../module-versions/config/schema.ts'
import { immutableFaults } from './immutable.ts'
import { resolveInputs } from './inputs/resolve.ts'

type Json = Record<string, unknown>

const resolve = (definitions: object[], given: Json, output: Json = {}) =>
  resolveInputs(
    definitions as InputDefinition[],
    given,
    {
      of: 'module',
      roots: {},
      referred: (_type, name) => ({ id: name.replace('givenId-of-', ''), input: {}, output }),
    },
    'input',
  )

type Change = { from: Json; to: Json; outputs?: [Json, Json] }

function faultsOf(definitions: object[], { from, to, outputs = [{}, {}] }: Change): string[] {
  const was = resolve(definitions, from, outputs[0])
  const references = new Map(was.references.map(({ path, id }) => [path, id]))
  const before = { given: from, values: was.values, references }
  return immutableFaults(before, resolve(definitions, to, outputs[1]), to).map(
    ({ path, message }) => `${path} ${message}`,
  )
}

const fixed = { id: 'a', type: 'string', immutable: true }

test(
  'an immutable input keeps its value',
  everyCase<[string, object[], Change, string[]]>(
    [
      [
        'another value is refused',
        [fixed],
        { from: { a: 'x' }, to: { a: 'y' } },
        ['input.a cannot be changed: it is "x" and would be "y"'],
      ],
      ['so is none', [fixed], { from: { a: 'x' }, to: {} }, ['input.a cannot be changed: it is "x" and would be null']],
      ['the same is not', [fixed], { from: { a: 'x' }, to: { a: 'x' } }, []],
      ['nor is the default, written out', [{ ...fixed, default: 'x' }], { from: {}, to: { a: 'x' } }, []],
      ['nor is the first value', [fixed], { from: {}, to: { a: 'x' } }, []],
      ['nor what may change', [{ ...fixed, immutable: false }], { from: { a: 'x' }, to: { a: 'y' } }, []],
      [
        'nor what is hidden now',
        [
          { id: 'on', type: 'boolean' },
          { ...fixed, show_when: { on: true } },
        ],
        { from: { on: true, a: 'x' }, to: { on: false, a: 'y' } },
        [],
      ],
      [
        'nor what was hidden',
        [
          { id: 'on', type: 'boolean' },
          { ...fixed, show_when: { on: true } },
        ],
        { from: { on: false, a: 'x' }, to: { on: true, a: 'y' } },
        [],
      ],
      [
        'nor what took over from others',
        [
          { ...fixed, moved_from: ['b'] },
          { ...fixed, id: 'b' },
        ],
        { from: { a: 'x', b: 'x' }, to: { a: 'y', b: 'y' } },
        [],
      ],
      [
        'the field of an item counts too',
        [{ id: 'list', type: 'object_array', item_inputs: [fixed] }],
        { from: { list: [{ a: 'x' }, { a: 'z' }] }, to: { list: [{ a: 'y' }, { a: 'z' }, { a: 'new' }] } },
        ['input.list[0].a cannot be changed: it is "x" and would be "y"'],
      ],
    ],
    (_, definitions, change, faults) => {
      expect(faultsOf(definitions, change)).toEqual(faults)
    },
  ),
)

const reference = {
  id: 'net',
  type: '$ref:network',
  immutable: true,
  mapped_inputs: [{ id: 'vpc', type: 'string', immutable: true, default: '<< ref.stack.output.vpc >>' }],
}

test('another output of the same instance is no change, but another instance is', () => {
  const outputs: [Json, Json] = [{ vpc: 'v1' }, { vpc: 'v2' }]
  expect(faultsOf([reference], { from: { net: 'n1' }, to: { net: 'n1' }, outputs })).toEqual([])
  expect(faultsOf([reference], { from: { net: 'n1' }, to: { net: 'givenId-of-n1' }, outputs })).toEqual([])
  expect(faultsOf([reference], { from: { net: 'n1' }, to: { net: 'n2' }, outputs })).toEqual([
    'input.net cannot be changed: it is "n1" and would be "n2"',
  ])
  expect(faultsOf([reference], { from: { net: 'n1' }, to: { net: 'n1', vpc: 'mine' }, outputs })).toEqual([
    'input.vpc cannot be changed: it is "v1" and would be "mine"',
  ])
})
