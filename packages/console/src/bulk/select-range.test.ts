import { expect, test } from 'vitest'
import { everyCase } from '../../../../testing/every-case.ts'
import { selectRange } from './select-range.ts'

const ids = ['a', 'b', 'c', 'd', 'e']
type Change = Parameters<typeof selectRange>[2]

test(
  'a click changes one item, and a click with Shift everything from the last one to it',
  everyCase<[string[], Change, string[]]>(
    [
      [[], { id: 'b' }, ['b']],
      [['b'], { id: 'b' }, []],
      [['b'], { id: 'd', anchor: 'b' }, ['b', 'c', 'd']],
      [['d'], { id: 'b', anchor: 'd' }, ['b', 'c', 'd']],
      [['a', 'b', 'c', 'd'], { id: 'c', anchor: 'a' }, ['d']],
      [['b'], { id: 'd', anchor: 'gone' }, ['b', 'd']],
    ],
    (selected, change, expected) => {
      expect([...selectRange(new Set(selected), ids, change)].sort()).toEqual(expected)
    },
  ),
)
