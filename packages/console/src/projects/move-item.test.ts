import { expect, test } from 'vitest'
import { everyCase } from '../../../../testing/every-case.ts'
import { moveItem } from './move-item.ts'

test(
  'an item moves by the given number of places',
  everyCase(
    [
      [0, 1, 'bac'],
      [2, -1, 'acb'],
      [0, -1, 'abc'],
      [2, 1, 'abc'],
      [7, -1, 'abc'],
    ],
    (index, by, expected) => {
      expect(moveItem([...'abc'], index, by).join('')).toBe(expected)
    },
  ),
)
