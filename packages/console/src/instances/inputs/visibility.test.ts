import { expect, test } from 'vitest'
import { everyCase } from '../../../../../testing/every-case.ts'
import type { Condition, InputDefinition } from './definition.ts'
import { validateInput } from './validate-input.ts'
import { isConditionMet, visibleInputs } from './visibility.ts'

test(
  'a condition is evaluated against the value of its input',
  everyCase<[Condition, unknown, boolean]>(
    [
      [true, true, true],
      [true, null, false],
      [false, null, true],
      ['', null, true],
      ['a', 'a', true],
      [['a', 'b'], 'b', true],
      [['a', 'b'], null, false],
      [{ not: 'a' }, 'b', true],
      [{ not: 'a' }, null, true],
      [{ not: '' }, null, false],
      [{ not: ['a', 'b'] }, 'a', false],
    ],
    (condition, value, expected) => {
      expect(isConditionMet(condition, value)).toBe(expected)
    },
  ),
)

const input = (id: string, more: Partial<InputDefinition> = {}): InputDefinition => ({
  id,
  label: id,
  type: 'string',
  ...more,
})
const shown = (definitions: InputDefinition[], given = {}, resolved = {}) => [
  ...visibleInputs(definitions, given, resolved),
]

test('an entered value overrides the server’s value, which overrides the default', () => {
  const strategy = input('strategy', { default: 'rolling' })
  const percent = input('percent', { show_when: { strategy: 'canary' } })
  expect(shown([strategy, percent])).toEqual(['strategy'])
  expect(shown([strategy, percent], {}, { strategy: 'canary' })).toEqual(['strategy', 'percent'])
  expect(shown([strategy, percent], { strategy: 'linear' }, { strategy: 'canary' })).toEqual(['strategy'])
})

test('inputs that depend on hidden inputs are hidden, too', () => {
  const chain = [
    input('a', { type: 'boolean', default: false }),
    input('b', { type: 'boolean', default: true, show_when: { a: true } }),
    input('c', { show_when: { b: true } }),
  ]
  expect(shown(chain)).toEqual(['a'])
  expect(shown(chain, { a: true })).toEqual(['a', 'b', 'c'])
})

test('a condition can refer to the enclosing scope unless the own scope has that name', () => {
  const archive = input('archive', { show_when: { kind: 'zip' } })
  const image = input('image', { show_when: { kind: 'image' } })
  const isShown = (definitions: InputDefinition[], outer: object) => [
    ...visibleInputs(definitions, {}, {}, { ...outer }),
  ]
  expect(isShown([archive, image], { kind: 'zip' })).toEqual(['archive'])
  expect(isShown([archive, image], { kind: 'image' })).toEqual(['image'])
  expect(isShown([input('kind'), archive], { kind: 'zip' })).toEqual(['kind'])
})

test(
  'an input reports its own error',
  everyCase<[Partial<InputDefinition>, unknown, string | undefined]>(
    [
      [{ required: true }, '', 'This field is required.'],
      [{ required: true, type: 'object_array' }, [], 'This field is required.'],
      [{}, null, undefined],
      [{ type: 'number', min: 2 }, 1, 'Must be at least 2.'],
      [{ type: 'number', max: 2 }, 3, 'Must be at most 2.'],
      [{ patterns: [{ pattern: '^a', message: 'Begins with a.' }] }, 'b', 'Begins with a.'],
      [
        { type: 'string_array', patterns: [{ pattern: '^a', message: 'Begins with a.' }] },
        ['a', 'b'],
        'Begins with a.',
      ],
      [{ patterns: [{ pattern: '^a', message: 'Begins with a.' }] }, '', undefined],
    ],
    (more, value, expected) => {
      expect(validateInput(input('x', more), value)).toBe(expected)
    },
  ),
)
