import { expect, test } from 'vitest'
import { everyCase } from '../../../testing/every-case.ts'
import { check } from './check.ts'

const roots = {
  module: { id: 'any', input: { port: 'any', image: 'any' } },
  stack: { id: 'any' },
  defaults: 'any',
} as const

const messagesOf = (value: unknown) =>
  check(value, roots, 'stack').map(({ path, message }) => [path, message.split('\n')[0]])

test(
  'a correct template has no errors',
  everyCase(
    [
      ['<< module.input.port + 1 >>'],
      ['<< module.input["image"].registry.host >>'],
      ['<< module.input[defaults.which] >>'],
      ['<< defaults.anything.at.all || stack.id >>'],
      ['<< map(defaults.list, {a: #.b, c: module.id}) >>'],
      ['no template, stak.id'],
      [{ a: [1, null, true, { b: '<< module >>' }] }],
    ],
    (value) => {
      expect(check(value, roots)).toEqual([])
    },
  ),
)

test(
  'an incorrect template is reported with its error',
  everyCase(
    [
      ['<< module.input.prot >>', 'module.input has no prot; did you mean port? (line 1, column 16)'],
      ['<< module.input["prot"] >>', 'module.input has no prot; did you mean port? (line 1, column 16)'],
      ['<< module.name >>', 'module has no name; available: id, input (line 1, column 10)'],
      ['<< stack.output.x >>', 'stack has no output; available: id (line 1, column 9)'],
      ['<< true ? 1 : modul.id >>', 'unknown name modul; did you mean module? (line 1, column 15)'],
      ['<< map([1], #.a + deploy) >>', 'unknown name deploy; available: defaults, module, stack (line 1, column 19)'],
      ['<< 1 + >>', 'expected a value, found the end (line 1, column 8)'],
      [
        '<< stack.id matches "x" >>',
        'matches is not supported; contains, startsWith and endsWith are (line 1, column 13)',
      ],
      ['a << 1', 'this << has no >> (line 1, column 3)'],
    ],
    (text, message) => {
      expect(messagesOf(text)).toEqual([['stack', message]])
    },
  ),
)

test('all errors are reported at once, with their positions', () => {
  const value = {
    '...a': '<< a >>',
    list: [{ b: 'x << b >> << stak >> y' }],
    good: '<< stack.id >>',
    c: '<<  >>',
  }
  expect(messagesOf(value)).toEqual([
    ['stack["...a"]', 'unknown name a; available: defaults, module, stack (line 1, column 4)'],
    ['stack.list[0].b', 'unknown name b; available: defaults, module, stack (line 1, column 6)'],
    ['stack.list[0].b', 'unknown name stak; did you mean stack? (line 1, column 14)'],
    ['stack.c', 'expected a value, found the end (line 1, column 5)'],
  ])
})
