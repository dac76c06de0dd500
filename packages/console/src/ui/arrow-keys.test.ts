import { expect, test } from 'vitest'
import { everyCase } from '../../../../testing/every-case.ts'
import { nearest } from './arrow-keys.ts'

// Two rows of cards: a b c, then d e.
const places: [string, { left: number; top: number }][] = [
  ['a', { left: 0, top: 0 }],
  ['b', { left: 100, top: 0 }],
  ['c', { left: 200, top: 0 }],
  ['d', { left: 0, top: 80 }],
  ['e', { left: 100, top: 80 }],
]
const [right, left, down, up]: [number, number][] = [
  [1, 0],
  [-1, 0],
  [0, 1],
  [0, -1],
]

test(
  'an arrow key moves to the nearest item',
  everyCase<[string, [number, number] | undefined, string | undefined]>(
    [
      ['a', right, 'b'],
      ['b', left, 'a'],
      ['b', down, 'e'],
      ['c', down, 'e'],
      ['e', up, 'b'],
      ['d', up, 'a'],
      ['c', right, undefined],
      ['a', up, undefined],
    ],
    (from, step, to) => {
      const at = places.find(([name]) => name === from)?.[1] ?? { left: 0, top: 0 }
      expect(nearest(at, places, step ?? [0, 0])).toBe(to)
    },
  ),
)
