import { expect, test } from 'vitest'
import { everyCase } from '../../../testing/every-case.ts'
import { referencesIn } from './references.ts'

test(
  'the references of a value are found',
  everyCase(
    [
      ['<< a.b.c >>', ['a.b.c']],
      ['x << a >> y << b.c >>', ['a', 'b.c']],
      ['<< a.b[c.d].e || map(f, #.g + h) >>', ['a.b', 'c.d', 'f', 'h']],
      [{ list: ['<< a?.b >>', 1], more: { '...c': '<< c >>' } }, ['a.b', 'c']],
      ['no template: a.b', []],
      ['<< a. >>', []],
    ],
    (value, names) => {
      expect(referencesIn(value).map((reference) => reference.join('.'))).toEqual(names)
    },
  ),
)
